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

/** A map of labels would be an object without properties, which Gemini refuses. */
const labelTexts = z.array(z.string()).max(10).default([]);

type Presented = ReturnType<typeof presentMailbox>;

const present = ({ name, address, messageCount, labels, expiresAt }: Presented) => ({
  ...{ name, address, messageCount, labels, expiresAt },
});

export const listMailboxes = defineTool({
  name: 'list_mailboxes',
  title: 'List mailboxes',
  description: `Lists the mailboxes that the token can use, newest first, ${MOST_LISTED} at most.`,
  input: z.strictObject({
    label: labelTexts.describe('Only mailboxes with all of these, each as "key:value".'),
  }),
  run: async ({ context, caller }, { label }) => {
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
    name: z.string().optional().describe('Generated if left out.'),
    labels: labelTexts.describe('Each as "key:value".'),
    expiresIn: z.int().min(1).max(31_536_000).optional().describe('Seconds.'),
  }),
  run: async ({ context, caller }, { name, labels, expiresIn }) => {
    const pairs = parseLabels(labels).map(({ key, value }) => [key, value] as const);
    const wanted = {
      ...(name === undefined ? {} : { name }),
      ...(pairs.length === 0 ? {} : { labels: Object.fromEntries(pairs) }),
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
  input: z.strictObject({ name: z.string() }),
  run: async ({ context, caller }, { name }) => {
    return { data: { deleted: await removeMailbox(context, caller, name) } };
  },
});
