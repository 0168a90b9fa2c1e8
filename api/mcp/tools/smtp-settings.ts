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
    'Returns how an application connects to the SMTP server of Mayfly. With "name" it also creates an SMTP credential. Mail that an application sends with it, to any address, arrives in the mailbox.',
  changes: 'creates',
  input: z.strictObject({
    mailbox: z.string().describe('The name of the mailbox.'),
    name: z
      .string()
      .regex(/^(?=.*\S)[^\p{Cc}]+$/u)
      .max(200)
      .optional()
      .describe('The name of a new credential, such as "staging". Leave it out to create none.'),
  }),
  output: z.strictObject({
    address: z.string().describe('The address of the mailbox. Mail to it needs no credential.'),
    host: z.string().describe('The host of the SMTP server.'),
    port: z.int().describe('The port of the SMTP server.'),
    tls: z.enum(['none', 'starttls', 'tls']).describe('The encryption of the connection.'),
    username: z.string().nullable().describe('The user name of the new credential, or null.'),
    password: z
      .string()
      .nullable()
      .describe('The password of the new credential, or null. It is shown only once.'),
    url: z.string().nullable().describe('Settings and new credential as one URL, or null.'),
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
