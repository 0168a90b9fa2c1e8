import * as z from 'zod';
import { mailboxAddress } from '../../../core/addresses.ts';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { connectionSettings, smtpUrl } from '../../../core/smtp-credentials/connection-settings.ts';
import { createCredential } from '../../../core/smtp-credentials/smtp-credentials.ts';
import { defineTool } from '../tool.ts';

export const getSmtpSettings = defineTool({
  name: 'get_smtp_settings',
  title: 'Get SMTP settings',
  description:
    'Returns how an application connects to the SMTP server. With "name" it also creates a credential: mail that an application sends with it, to any address, arrives in the mailbox. The password is shown once.',
  changes: 'creates',
  input: z.strictObject({
    mailbox: z.string(),
    name: z
      .string()
      .min(1)
      .max(200)
      .refine((name) => /\S/.test(name) && !/\p{Cc}/u.test(name), 'must be visible text')
      .optional()
      .describe('Name of a new credential, such as "staging".'),
  }),
  run: async ({ context, caller }, { mailbox, name }) => {
    const row = await requireMailbox(context, caller, mailbox);
    const settings = connectionSettings(context.config);
    const made = name === undefined ? null : await createCredential(context, caller, mailbox, name);
    const username = made?.credential.username ?? null;
    const password = made?.password ?? null;
    return {
      data: {
        address: mailboxAddress(row.name, caller.workspace.domain),
        ...settings,
        username,
        password,
        url: username === null || password === null ? null : smtpUrl(settings, username, password),
      },
    };
  },
});
