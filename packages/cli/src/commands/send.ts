/** The commands that send a mail inside the workspace. */
import { UsageError } from '../arguments.ts';
import type { Call, Command } from '../command.ts';
import { MAILBOX, present } from '../options.ts';
import { readStandardInput } from '../terminal/standard-input.ts';
import { newestOf } from './contents.ts';

const ADDRESSES = { type: 'string', multiple: true, value: 'ADDRESS' } as const;
const BODY = {
  text: { type: 'string', value: 'TEXT', help: 'text; - reads standard input' },
  html: { type: 'string', value: 'HTML', help: 'HTML body' },
} as const;

const send: Command = {
  name: 'send',
  summary: 'Send a mail from a mailbox to mailboxes of the workspace',
  options: {
    ...MAILBOX,
    to: { ...ADDRESSES, help: 'recipient; can be repeated' },
    subject: { type: 'string', value: 'TEXT', help: 'subject' },
    ...BODY,
  },
  examples: [
    'mayfly send --mailbox hello --to hello@mayfly.localhost --subject Test --text "It works."',
    'git log -1 | mayfly send -m hello --to hello@mayfly.localhost --subject Commit --text -',
  ],
  run: async ({ args, terminal, connect }) => {
    const to = args.texts('to');
    if (!to) throw new UsageError('--to is missing.');
    const body = await bodyOf({ args, terminal });
    const inbox = (await connect()).inbox(args.required('mailbox'));
    const sent = await inbox.send({ to, subject: args.text('subject') ?? '', ...body });
    terminal.show(sent, sent.messageId);
  },
};

const reply: Command = {
  name: 'reply',
  words: '[ID]',
  mostWords: 1,
  summary: 'Answer or forward a message; without an id, the newest',
  options: {
    ...MAILBOX,
    ...BODY,
    all: { type: 'boolean', help: 'also answer the other recipients' },
    forward: { ...ADDRESSES, help: 'forward to this address instead; can be repeated' },
  },
  examples: [
    'mayfly reply --mailbox hello --text "Thank you."',
    'mayfly reply -m hello msg_01k9z6v7m3q8w2x4y5b6c7d8e9 --all --text - < answer.txt',
    'mayfly reply -m hello --forward reports@mayfly.localhost',
  ],
  run: async ({ args, terminal, connect }) => {
    const to = args.texts('forward');
    if (to && args.has('all')) throw new UsageError('--all and --forward exclude each other.');
    const body = await bodyOf({ args, terminal });
    const inbox = (await connect()).inbox(args.required('mailbox'));
    const id = args.words[0] ?? (await newestOf(inbox));
    const kind = args.has('all') ? 'replyAll' : 'reply';
    const sent = await inbox.reply(id, to ? { kind: 'forward', to, ...body } : { kind, ...body });
    terminal.show(sent, sent.messageId);
  },
};

/** The options of the body; `-` as the text is standard input. */
async function bodyOf({
  args,
  terminal,
}: Pick<Call, 'args' | 'terminal'>): Promise<{ text?: string; html?: string }> {
  const given = args.text('text');
  const text = given === '-' ? await readStandardInput(terminal.streams) : given;
  return present({ text, html: args.text('html') });
}

export const sendCommands = [send, reply];
