import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from '../command.ts';
import { MAILBOX } from '../options.ts';
import { pageOf } from '../terminal/show-message.ts';
import { newestOf } from './contents.ts';

const read: Command = {
  name: 'read',
  words: '[ID]',
  mostWords: 1,
  summary: 'Print a message; without an id, the newest',
  options: {
    ...MAILBOX,
    raw: { type: 'boolean', help: 'print the raw mail; with --json, as base64' },
  },
  examples: [
    'mayfly read --mailbox hello',
    'mayfly read -m hello msg_01k9z6v7m3q8w2x4y5b6c7d8e9 --raw',
  ],
  run: async ({ args, terminal, connect }) => {
    const inbox = (await connect()).inbox(args.required('mailbox'));
    const id = args.words[0] ?? (await newestOf(inbox));
    if (args.has('raw')) {
      const raw = Buffer.from(await inbox.raw(id));
      if (terminal.isJson) terminal.show({ id, base64: raw.toString('base64') }, '');
      else terminal.streams.stdout.write(raw);
    } else {
      const message = await inbox.read(id);
      terminal.show(message, pageOf(terminal, message, await inbox.text(id)));
    }
  },
};

const open: Command = {
  name: 'open',
  words: '[ID]',
  mostWords: 1,
  summary: 'Open a mailbox or a message in the browser',
  options: MAILBOX,
  examples: ['mayfly open --mailbox hello', 'mayfly open -m hello msg_01k9z6v7m3q8w2x4y5b6c7d8e9'],
  run: async ({ args, terminal, env, connect, login }) => {
    const [id] = args.words;
    const named = args.required('mailbox');
    // The dashboard takes names only.
    const name = named.includes('@') ? (await (await connect()).mailboxes.get(named)).name : named;
    const mailbox = `mailboxes/${encodeURIComponent(name)}`;
    const path = id === undefined ? mailbox : `${mailbox}/messages/${encodeURIComponent(id)}`;
    const url = `${(await login()).url.replace(/\/+$/, '')}/${path}`;
    terminal.show({ url }, url);
    await openBrowser(url, env).catch((error: unknown) => {
      terminal.note(`The browser cannot be opened: ${String(error)}`);
    });
  },
};

/**
 * Opens a URL with `BROWSER`, or as the platform does. @throws if the program cannot be started.
 */
async function openBrowser(url: string, env: NodeJS.ProcessEnv): Promise<void> {
  const [program, ...args] = opener(env);
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  await once(child, 'spawn');
  child.unref();
}

function opener(env: NodeJS.ProcessEnv): [string, ...string[]] {
  if (env['BROWSER']) return [env['BROWSER']];
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}

export const messageCommands = [read, open];
