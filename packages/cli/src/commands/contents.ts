/** The commands that print a part of a message. */
import { type Inbox, LINK_KINDS } from '@mayfly/client';
import type { Call, Command } from '../command.ts';
import { MAILBOX, linkKindOf } from '../options.ts';
import { oneLine } from '../terminal/show-message.ts';
import { printable } from '../terminal/terminal.ts';

const ID = { words: '[ID]', mostWords: 1 } as const;

const attachments: Command = {
  name: 'attachments',
  ...ID,
  summary: 'List the attachments of a message; without an id, of the newest',
  options: MAILBOX,
  examples: [
    'mayfly attachments -m hello',
    'mayfly attachments -m hello msg_01k9z6v7m3q8w2x4y5b6c7d8e9 --json',
  ],
  run: async (call) => {
    const { inbox, id } = await messageOf(call);
    const found = await inbox.attachments(id);
    const lines = found.map(
      ({ filename, contentType, size }) =>
        `${oneLine(filename)}\t${oneLine(contentType)}\t${size} bytes`,
    );
    call.terminal.list(found, lines);
  },
};

const headers: Command = {
  name: 'headers',
  ...ID,
  summary: 'Print the header fields of a message; without an id, of the newest',
  options: MAILBOX,
  examples: ['mayfly headers -m hello msg_01k9z6v7m3q8w2x4y5b6c7d8e9'],
  run: async (call) => {
    const { inbox, id } = await messageOf(call);
    const fields = await inbox.headers(id);
    call.terminal.list(
      fields,
      fields.map(({ name, value }) => `${oneLine(name)}: ${oneLine(value)}`),
    );
  },
};

const text: Command = {
  name: 'text',
  ...ID,
  summary: 'Print the text of a message, also of one in HTML; without an id, of the newest',
  options: MAILBOX,
  examples: ['mayfly text -m hello msg_01k9z6v7m3q8w2x4y5b6c7d8e9'],
  run: async (call) => {
    const { inbox, id } = await messageOf(call);
    const found = await inbox.text(id);
    call.terminal.show({ text: found }, printable(found));
  },
};

const links: Command = {
  name: 'links',
  ...ID,
  summary: 'Print the links of a message; without an id, of the newest',
  options: {
    ...MAILBOX,
    kind: {
      type: 'string',
      value: 'KIND',
      choices: LINK_KINDS,
      help: `one of ${LINK_KINDS.join(', ')}`,
    },
  },
  examples: ['mayfly links -m hello', 'mayfly links -m hello --kind unsubscribe'],
  run: async (call) => {
    const kind = linkKindOf(call.args, 'kind');
    const { inbox, id } = await messageOf(call);
    const found = await inbox.links(id, kind);
    call.terminal.list(
      found,
      found.map((link) => `${link.kind}\t${oneLine(link.url)}`),
    );
  },
};

/** The message that the command names, or the newest. */
async function messageOf({ args, connect }: Call): Promise<{ inbox: Inbox; id: string }> {
  const inbox = (await connect()).inbox(args.required('mailbox'));
  return { inbox, id: args.words[0] ?? (await newestOf(inbox)) };
}

/** @throws {MayflyTimeout} if the mailbox is empty. */
export async function newestOf(inbox: Inbox): Promise<string> {
  const [newest] = await inbox.list({ limit: 1 });
  return newest?.id ?? (await inbox.wait({ timeout: 0 })).id;
}

export const contentCommands = [attachments, headers, text, links];
