import type { Mailbox } from '@mayfly/client';
import { UsageError } from '../arguments.ts';
import type { Command } from '../command.ts';
import { present } from '../options.ts';

const LABEL = {
  label: { type: 'string', multiple: true, value: 'KEY=VALUE', help: 'label; can be repeated' },
} as const;

const create: Command = {
  name: 'mailbox create',
  words: '[NAME]',
  mostWords: 1,
  summary: 'Create a mailbox and print its address',
  options: {
    ...LABEL,
    'expires-in': { type: 'string', value: 'SECONDS', help: 'lifetime of the mailbox' },
    'client-id': {
      type: 'string',
      value: 'ID',
      help: 'client id; an existing mailbox with it is returned',
    },
  },
  examples: ['mayfly mailbox create', 'mayfly mailbox create --expires-in 900 --label run=gh-8812'],
  run: async ({ args, terminal, connect }) => {
    const properties = present({
      name: args.words[0],
      labels: args.pairs('label'),
      expiresIn: args.seconds('expires-in'),
      clientId: args.text('client-id'),
    });
    const mailbox = await (await connect()).mailboxes.create(properties);
    terminal.show(mailbox, mailbox.address);
  },
};

const list: Command = {
  name: 'mailbox list',
  summary: 'List mailboxes, newest first',
  options: {
    ...LABEL,
    prefix: { type: 'string', value: 'TEXT', help: 'only names that start with this' },
    limit: { type: 'string', value: 'NUMBER', help: 'at most so many (default: all)' },
  },
  examples: [
    'mayfly mailbox list --prefix signup',
    'mayfly mailbox list --label run=gh-8812 --json',
  ],
  run: async ({ args, terminal, connect }) => {
    const [labels = {}, prefix = ''] = [args.pairs('label'), args.text('prefix')];
    const limit = args.number('limit');
    const mayfly = await connect();
    const mailboxes = await mayfly.mailboxes.list({ labels, prefix, ...present({ limit }) });
    terminal.list(mailboxes, mailboxes.map(lineOf));
  },
};

const remove: Command = {
  name: 'mailbox delete',
  words: '[NAME]',
  mostWords: 1,
  summary: 'Delete a mailbox, or all with a label',
  options: LABEL,
  examples: ['mayfly mailbox delete hello', 'mayfly mailbox delete --label run=gh-8812'],
  run: async ({ args, terminal, connect }) => {
    const [name] = args.words;
    const labels = args.pairs('label');
    if ((name === undefined) === (labels === undefined)) {
      throw new UsageError('Give either the name of a mailbox or --label.');
    }
    const deleted = await (await connect()).mailboxes.delete(name ?? { labels: labels ?? {} });
    terminal.show({ deleted }, `${deleted} deleted`);
  },
};

function lineOf({ address, messageCount, expiresAt }: Mailbox): string {
  const messages = messageCount === 1 ? '1 message' : `${messageCount} messages`;
  return `${address}\t${messages}${expiresAt === null ? '' : `\texpires ${expiresAt}`}`;
}

export const mailboxCommands = [create, list, remove];
