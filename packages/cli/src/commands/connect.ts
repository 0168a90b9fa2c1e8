/** The commands that connect something to the service: this user, an MCP client, an application. */
import { frameworks, settingsOf } from '../../../shared/framework-settings.ts';
import { UsageError } from '../arguments.ts';
import { clientOf } from '../client-of.ts';
import type { Command } from '../command.ts';
import { MAILBOX } from '../options.ts';
import { writeProfile } from '../profile.ts';
import { readSecret } from '../terminal/standard-input.ts';

export const login: Command = {
  name: 'login',
  summary: 'Check a token and store it in the profile file',
  options: {},
  examples: [
    'mayfly login --url https://mail.example.com',
    'echo "$TOKEN" | mayfly login --url http://localhost:3000',
  ],
  run: async ({ args, terminal, env }) => {
    const url = args.text('url') || env['MAYFLY_URL']?.trim() || 'http://localhost:3000';
    const token = args.text('token') ?? (await readSecret(`Token for ${url}: `, terminal.streams));
    if (token === '') throw new UsageError('The token is missing.');
    const { data: session } = await clientOf({ url, token }).api.GET('/api/session');
    const path = await writeProfile(env, { url, token });
    const workspace = session?.workspace.domain ?? '';
    const role = session?.token.role ?? '';
    terminal.show(
      { url, profile: path, workspace, role },
      `Stored in ${path}: ${role} of ${workspace}.`,
    );
  },
};

export const mcp: Command = {
  name: 'mcp',
  summary: 'Connect an MCP client on standard input and output to the service',
  options: {},
  examples: ['mayfly mcp', 'claude mcp add mayfly -- mayfly mcp'],
  run: async ({ connect, login }) => {
    await connect();
    const { url, token } = await login();
    const { serveStdio } = await import('../../../shared/mcp-bridge.ts');
    await serveStdio(url, token);
  },
};

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
      throw new UsageError(`--format must be one of ${FORMATS.join(', ')}.`);
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
