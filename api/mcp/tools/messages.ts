import * as z from 'zod';
import { decodeCursor } from '../../../core/messages/cursor.ts';
import { completeMessages, requireMessageWithFiles } from '../../../core/messages/messages.ts';
import { parseQuery } from '../../../core/search/parse-query.ts';
import { searchMessages as search } from '../../../core/search/search.ts';
import { Fence } from '../fence.ts';
import { fenceData, messageData, fenceMessage } from '../message.ts';
import { defineTool } from '../tool.ts';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { newSeed } from '../../../core/ids.ts';
import { sendMessage as send } from '../../../core/sending/send.ts';

const MOST_FOUND = 20;
/** Characters as they are shown: a full page fits into one answer. */
const MOST = { from: 80, subject: 120 };

const hit = z.strictObject({
  id: z.string().describe('The id of the message.'),
  mailbox: z.string().describe('The name of its mailbox, which get_message takes.'),
  receivedAt: z.string().describe('When the message was received, ISO 8601.'),
  size: z.int().describe('The size of the mail in bytes.'),
  attachments: z.int().describe('The number of attachments.'),
});

export const searchMessages = defineTool({
  name: 'search_messages',
  title: 'Search messages',
  description:
    'Searches the messages of all mailboxes that the token can use, newest first, and returns sender and subject of each. A query is words, "phrases in quotes", -exclusions, and operators such as from:@shop.example, subject:code, mailbox:hello, has:attachment and after:2h. All terms must hold. An empty query returns all messages.',
  input: z.strictObject({
    q: z.string().max(1000).describe('The query, such as "from:@shop.example receipt after:2h".'),
    limit: z
      .int()
      .min(1)
      .max(MOST_FOUND)
      .default(10)
      .describe('The number of messages of an answer.'),
    after: z.string().optional().describe('The nextCursor of an earlier answer.'),
  }),
  output: z.strictObject({
    messages: z.array(hit),
    nextCursor: z.string().nullable().describe('Pass it as "after" for more. Null at the end.'),
    complete: z
      .boolean()
      .describe('False if the search ended after 2 s. Then continue at nextCursor.'),
    fence: fenceData,
  }),
  run: async ({ context, caller, searches, disconnected: gone }, { q, limit, after }, request) => {
    const asked = {
      query: parseQuery(q, context.now()),
      limit,
      gone: AbortSignal.any([gone, request.signal]),
      ...(after === undefined ? {} : { after: decodeCursor(after) }),
    };
    const found = await searches(caller.workspace.id, () => search(context, caller, asked));
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
    return { data: { messages, nextCursor, complete, fence: fence.block && fence.id }, fence };
  },
});

export const getMessage = defineTool({
  name: 'get_message',
  title: 'Read a message',
  description:
    'Reads one message: sender, recipients, subject, names of attachments and text. An answer has at most 4,000 characters of the mail.',
  input: z.strictObject({
    mailbox: z.string().describe('The name of the mailbox.'),
    id: z.string().describe('The id of the message.'),
    offset: z
      .int()
      .min(0)
      .default(0)
      .describe('Where to start in the text: the nextOffset of an earlier answer.'),
  }),
  output: messageData.extend({ fence: fenceData }),
  run: async ({ context, caller }, { mailbox, id, offset }) => {
    const row = await requireMailbox(context, caller, mailbox);
    const shown = await requireMessageWithFiles(context, row, id);
    const fence = new Fence();
    const data = fenceMessage(fence, shown, offset);
    return { data: { ...data, fence: fence.block && fence.id }, fence };
  },
});

export const sendMessage = defineTool({
  name: 'send_message',
  title: 'Send a message',
  description:
    'Sends a mail from one mailbox to mailboxes of the same workspace. No mail leaves Mayfly.',
  changes: 'creates',
  input: z.strictObject({
    mailbox: z.string().describe('The name of the mailbox that sends.'),
    to: z
      .array(z.string())
      .min(1)
      .max(50)
      .describe('Addresses of mailboxes of the workspace. A tag is allowed: name+tag@domain.'),
    subject: z.string().describe('The subject.'),
    text: z.string().optional().describe('The text.'),
    html: z.string().optional().describe('The HTML.'),
  }),
  output: z.strictObject({
    messageId: z.string().describe('The id of the message of the first recipient.'),
    deliveredTo: z.array(z.string()).describe('The addresses that received the mail.'),
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
