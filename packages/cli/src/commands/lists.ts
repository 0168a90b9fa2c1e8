/** The commands for the messages of a mailbox, and of all. */
import { readFile } from 'node:fs/promises';
import { UsageError } from '../arguments.ts';
import type { Command } from '../command.ts';
import { MAILBOX, present } from '../options.ts';
import { lineOf } from '../terminal/show-message.ts';
import { readStandardBytes } from '../terminal/standard-input.ts';

const LIMIT = {
  limit: { type: 'string', value: 'NUMBER', help: 'at most so many (default: 100)' },
} as const;

const list: Command = {
  name: 'list',
  summary: 'List the messages of a mailbox, newest first',
  options: { ...MAILBOX, ...LIMIT },
  examples: ['mayfly list --mailbox hello', 'mayfly list -m hello --limit 5 --json'],
  run: async ({ args, terminal, connect }) => {
    const inbox = (await connect()).inbox(args.required('mailbox'));
    const messages = await inbox.list(present({ limit: args.number('limit') }));
    terminal.list(
      messages,
      messages.map((message) => lineOf(terminal, message)),
    );
  },
};

const search: Command = {
  name: 'search',
  words: 'QUERY...',
  mostWords: 100,
  summary: 'Search the messages of all mailboxes, newest first',
  options: LIMIT,
  examples: ['mayfly search from:@shop.example has:attachment', 'mayfly search invoice --json'],
  run: async ({ args, terminal, connect }) => {
    const query = args.words.join(' ');
    if (query === '') throw new UsageError('The query is missing.');
    const found = await (await connect()).search(query, present({ limit: args.number('limit') }));
    terminal.list(
      found,
      found.map(
        (message) =>
          `${terminal.style('green', message.mailbox ?? '')}  ${lineOf(terminal, message)}`,
      ),
    );
  },
};

const store: Command = {
  name: 'store',
  words: 'FILE|-',
  mostWords: 1,
  summary: 'Store a mail from an .eml file or standard input, as if it had arrived',
  options: {
    ...MAILBOX,
    from: { type: 'string', value: 'ADDRESS', help: 'sender of the envelope' },
    to: {
      type: 'string',
      multiple: true,
      value: 'ADDRESS',
      help: 'recipient of the envelope; can be repeated',
    },
  },
  examples: [
    'mayfly store -m hello welcome.eml',
    'mayfly store -m hello - --to customer@gmail.com < welcome.eml',
  ],
  run: async ({ args, terminal, connect }) => {
    const [file] = args.words;
    if (file === undefined) throw new UsageError('The file is missing. "-" is standard input.');
    const envelope = present({ from: args.text('from'), to: args.texts('to') });
    const inbox = (await connect()).inbox(args.required('mailbox'));
    const raw = file === '-' ? await readStandardBytes(terminal.streams) : await readMail(file);
    const stored = await inbox.store(raw, envelope);
    terminal.show(stored, stored.messageId);
  },
};

const clear: Command = {
  name: 'clear',
  summary: 'Delete all messages of a mailbox',
  options: MAILBOX,
  examples: ['mayfly clear --mailbox hello'],
  run: async ({ args, terminal, connect }) => {
    const deleted = await (await connect()).inbox(args.required('mailbox')).clear();
    terminal.show({ deleted }, `${deleted} deleted`);
  },
};

/** @throws {UsageError} for a file that cannot be read. */
async function readMail(file: string): Promise<Uint8Array> {
  return readFile(file).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : ''}`);
  });
}

export const listCommands = [list, search, store, clear];
