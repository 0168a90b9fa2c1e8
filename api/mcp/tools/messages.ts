import * as z from 'zod';
import { newSeed } from '../../../core/ids.ts';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { attachmentPortion } from '../../../core/messages/attachment-text.ts';
import { decodeCursor } from '../../../core/messages/cursor.ts';
import { completeMessages, requireMessageWithFiles } from '../../../core/messages/messages.ts';
import { parseQuery } from '../../../core/search/parse-query.ts';
import { searchMessages as search } from '../../../core/search/search.ts';
import { sendMessage as send } from '../../../core/sending/send.ts';
import { Fence } from '../fence.ts';
import { fenceMessage } from '../message.ts';
import { defineTool } from '../tool.ts';

const MOST_FOUND = 20;
/** Characters as they are shown: a full page fits into one answer. */
const MOST = { from: 80, subject: 120 };

export const searchMessages = defineTool({
  name: 'search_messages',
  title: 'Search messages',
  description:
    'Lists or searches the messages of all mailboxes, newest first, with id, mailbox, sender and subject.',
  input: z.strictObject({
    q: z
      .string()
      .max(1000)
      .default('')
      .describe(
        'All terms must hold: words, "phrases", -exclusions, and operators such as from:@shop.example, subject:code, mailbox:hello, has:attachment, after:2h. Without it: all messages.',
      ),
    limit: z.int().min(1).max(MOST_FOUND).default(10),
    after: z.string().optional().describe('The nextCursor of an answer.'),
  }),
  run: async ({ context, caller, waits, disconnected: gone }, { q, limit, after }, request) => {
    const asked = {
      query: parseQuery(q, { now: context.now(), domain: caller.workspace.domain }),
      limit,
      gone: AbortSignal.any([gone, request.signal]),
      ...(after === undefined ? {} : { after: decodeCursor(after) }),
    };
    const found = await search(context, waits, caller, asked);
    const names = new Map(found.rows.map(({ id, mailbox }) => [id, mailbox.name]));
    const fence = new Fence();
    const shown = await completeMessages(context, found.rows, { summary: true });
    const messages = shown.map(({ message, mail, attachments }) => {
      fence.add(`from of ${message.id}`, mail.fromAddress, MOST.from);
      fence.add(`subject of ${message.id}`, mail.subject, MOST.subject);
      return {
        id: message.id,
        mailbox: names.get(message.id) ?? '',
        receivedAt: message.receivedAt.toISOString(),
        size: mail.size,
        attachments: attachments.length,
      };
    });
    const { nextCursor, complete } = found;
    const note = complete ? '' : 'The search ended after 2 s. Continue at nextCursor.';
    return { data: { messages, nextCursor, complete }, fence, note };
  },
});

export const getMessage = defineTool({
  name: 'get_message',
  title: 'Read a message',
  description:
    'Reads a message: sender, recipients, subject, attachments and text, or the text of one attachment. At most 4,000 characters in an answer.',
  input: z.strictObject({
    mailbox: z.string(),
    id: z.string(),
    attachment: z.int().min(1).optional().describe('Number of a text attachment, from 1.'),
    offset: z.int().min(0).default(0).describe('The nextOffset of an answer.'),
  }),
  run: async (call, { mailbox, id, attachment, offset }) => {
    const { context, caller, disconnected: gone } = call;
    const row = await requireMailbox(context, caller, mailbox);
    const shown = await requireMessageWithFiles(context, row, id, call.admit);
    const fence = new Fence();
    if (attachment === undefined) {
      return { data: { ...(await fenceMessage(call, fence, shown, offset)) }, fence };
    }
    const reader = { workspaceId: caller.workspace.id, gone };
    const place = { mailbox: row, shown };
    const asked = { number: attachment, offset };
    const { lines, next, ...rest } = await attachmentPortion(context, reader, place, asked);
    const data = {
      ...{ id: shown.message.id, attachment, ...rest },
      nextOffset: fence.addLines('text', { lines, next }),
    };
    return { data, fence };
  },
});

export const sendMessage = defineTool({
  name: 'send_message',
  title: 'Send a message',
  description:
    'Sends a mail from a mailbox to mailboxes of the same workspace. No mail leaves Mayfly.',
  changes: 'creates',
  input: z.strictObject({
    mailbox: z.string().describe('The sender.'),
    to: z.array(z.string()).min(1).max(50).describe('Addresses.'),
    subject: z.string(),
    text: z.string().optional(),
    html: z.string().optional(),
  }),
  run: async ({ context, caller }, { mailbox, to, subject, text, html }) => {
    const request = {
      ...{ to, subject },
      ...(text === undefined ? {} : { text }),
      ...(html === undefined ? {} : { html }),
    };
    const seed = newSeed(context.now());
    const sent = await send(context, caller, mailbox, request, seed);
    return { data: { ...sent } };
  },
});
