import { clientOf } from '../client-of.ts';
import type { Command } from '../command.ts';
import { writeProfile } from '../profile.ts';
import { readSecret } from '../terminal/standard-input.ts';
import { UsageError } from '../usage-error.ts';

export const login: Command = {
  name: 'login',
  summary: 'Check a token and store it in the profile file',
  options: {},
  examples: [
    'mayfly login --url https://mail.example.com',
    'echo "$TOKEN" | mayfly login --url http://localhost:3000',
  ],
  run: async ({ args, terminal, env }) => {
    const url = args.text('url') || env['MAYFLY_URL'] || 'http://localhost:3000';
    const token = args.text('token') ?? (await readSecret(`Token for ${url}: `));
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
