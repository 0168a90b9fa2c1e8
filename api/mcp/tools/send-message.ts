import * as z from 'zod';
import { newSeed } from '../../../core/ids.ts';
import { sendMessage as send } from '../../../core/sending/send.ts';
import { defineTool } from '../tool.ts';

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
