import * as z from 'zod';
import { createMailboxes } from '../../../core/mailboxes/create.ts';
import {
  countListed,
  deleteMailbox as removeMailbox,
  requireCountedMailbox,
  listMailboxes as selectMailboxes,
} from '../../../core/mailboxes/mailboxes.ts';
import { parseLabels } from '../../../core/mailboxes/labels.ts';
import { presentMailbox } from '../../routes/mailboxes.ts';
import { defineTool } from '../tool.ts';

const MOST_LISTED = 200;

const mailbox = z.strictObject({
  name: z.string().describe('The name that other tools take as "mailbox".'),
  address: z.string().describe('The e-mail address.'),
  messageCount: z.int().describe('The number of messages.'),
  labels: z.record(z.string(), z.string()).describe('The labels of the mailbox.'),
  expiresAt: z.string().nullable().describe('When the mailbox ends, ISO 8601. Null for no end.'),
});

type Presented = ReturnType<typeof presentMailbox>;

const present = ({ name, address, messageCount, labels, expiresAt }: Presented) => ({
  ...{ name, address, messageCount, labels, expiresAt },
});

export const listMailboxes = defineTool({
  name: 'list_mailboxes',
  title: 'List mailboxes',
  description: `Lists the mailboxes that the token can use, newest first, ${MOST_LISTED} at most.`,
  input: z.strictObject({
    label: z
      .array(z.string())
      .max(10)
      .optional()
      .describe('Only mailboxes with all of these labels, each as "key:value".'),
  }),
  output: z.strictObject({
    mailboxes: z.array(mailbox),
    total: z.int().describe('The number of mailboxes, including those that are not listed.'),
  }),
  run: async ({ context, caller }, { label = [] }) => {
    const labels = parseLabels(label);
    const { mailboxes } = await selectMailboxes(context, caller, { labels, limit: MOST_LISTED });
    return {
      data: {
        mailboxes: mailboxes.map((row) => present(presentMailbox(row, caller))),
        total: await countListed(context, caller, { labels }),
      },
    };
  },
});

export const createMailbox = defineTool({
  name: 'create_mailbox',
  title: 'Create a mailbox',
  description: 'Creates a mailbox, which can receive mail at once.',
  changes: 'creates',
  input: z.strictObject({
    name: z
      .string()
      .optional()
      .describe('The name of the mailbox. Leave it out to get a generated name.'),
    labels: z
      .record(z.string(), z.string())
      .optional()
      .describe('At most 10 labels, such as {"run": "8812"}.'),
    expiresIn: z
      .int()
      .min(1)
      .max(31_536_000)
      .optional()
      .describe('The lifetime of the mailbox in seconds.'),
  }),
  output: mailbox,
  run: async ({ context, caller }, { name, labels, expiresIn }) => {
    const wanted = {
      ...(name === undefined ? {} : { name }),
      ...(labels === undefined ? {} : { labels }),
      ...(expiresIn === undefined ? {} : { expiresIn }),
    };
    const [made] = await createMailboxes(context, caller, [wanted]);
    if (!made) throw new RangeError('no mailbox created');
    const counted = await requireCountedMailbox(context, caller, made.row.name);
    return { data: present(presentMailbox(counted, caller)) };
  },
});

export const deleteMailbox = defineTool({
  name: 'delete_mailbox',
  title: 'Delete a mailbox',
  description: 'Deletes a mailbox with all of its messages. This cannot be undone.',
  changes: 'deletes',
  input: z.strictObject({ name: z.string().describe('The name of the mailbox.') }),
  output: z.strictObject({ deleted: z.string().describe('The name of the mailbox.') }),
  run: async ({ context, caller }, { name }) => {
    await removeMailbox(context, caller, name);
    return { data: { deleted: name.toLowerCase() } };
  },
});
