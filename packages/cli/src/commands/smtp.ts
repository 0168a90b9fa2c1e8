import { frameworks, settingsOf } from '../../../shared/framework-settings.ts';
import type { Command } from '../command.ts';
import { MAILBOX } from '../options.ts';
import { UsageError } from '../usage-error.ts';

const FORMATS = frameworks.map(({ name }) => name);

export const smtpCreate: Command = {
  name: 'smtp create',
  summary: 'Create an SMTP credential and print settings for an application',
  options: {
    ...MAILBOX,
    name: { type: 'string', value: 'NAME', help: 'name of the credential (default: mayfly)' },
    format: {
      type: 'string',
      value: 'FORMAT',
      choices: FORMATS,
      help: `${FORMATS.join(', ')} (default: a URL)`,
    },
  },
  examples: ['mayfly smtp create --mailbox hello', 'mayfly smtp create -m hello --format rails'],
  run: async ({ args, terminal, connect }) => {
    const wanted = args.text('format');
    const format = FORMATS.find((each) => each === wanted);
    if (wanted !== undefined && format === undefined) {
      throw new UsageError(`--format is one of ${FORMATS.join(', ')}.`);
    }
    const path = { name: args.required('mailbox') };
    const { api } = await connect();
    const { data: session } = await api.GET('/api/session');
    const { data: credential } = await api.POST('/api/mailboxes/{name}/smtp-credentials', {
      params: { path },
      body: { name: args.text('name') ?? 'mayfly' },
    });
    if (!credential || !session) throw new Error('The response has no body.');
    const login = { ...credential, isSelfSigned: session.smtp.selfSigned };
    terminal.show(credential, format === undefined ? credential.url : settingsOf(login)[format]);
  },
};
