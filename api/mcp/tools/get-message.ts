import * as z from 'zod';
import { findMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { findMessage } from '../../../core/messages/messages.ts';
import { Fence } from '../fence.ts';
import { fenceData, messageData, presentMessage } from '../message.ts';
import { defineTool } from '../tool.ts';

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
    const row = await findMailbox(context, caller, mailbox);
    const shown = await findMessage(context, row, id);
    const fence = new Fence();
    const data = presentMessage(fence, shown, offset);
    return { data: { ...data, fence: fence.block && fence.id }, fence };
  },
});
