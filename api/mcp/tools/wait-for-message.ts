import { findMessageWithFiles } from '../../../core/messages/messages.ts';
import { waitForMessages } from '../../../core/waits/wait.ts';
import { Fence } from '../fence.ts';
import { fenceData, messageData, presentMessage } from '../message.ts';
import { defineTool } from '../tool.ts';
import {
  missOutput,
  nothingYet,
  presentMisses,
  runWait,
  waitInput,
  waitOutput,
} from './wait-input.ts';

const NAME = 'wait_for_message';

export const waitForMessage = defineTool({
  name: NAME,
  title: 'Wait for a message',
  description:
    'Waits until a message matches all criteria, and returns the oldest one after the mark. Without a mark, messages that are there already count.',
  input: waitInput,
  output: waitOutput.extend({
    message: messageData.nullable().describe('The message, or null.'),
    nearest: missOutput,
    fence: fenceData,
  }),
  run: async (call, input, request) => {
    const { context, waits } = call;
    const result = await runWait(call, input, request, ({ waiting, asked }) =>
      waitForMessages(
        context,
        waits,
        waiting,
        { ...asked, count: 1, order: 'oldest' },
        async (rows) => {
          const all = rows.map(({ id }) => findMessageWithFiles(context, waiting.mailbox.id, id));
          return (await Promise.all(all)).filter((shown) => shown !== null);
        },
      ),
    );
    const { outcome, mark, settled, messages, unmatched } = result;
    const fence = new Fence();
    const [shown] = messages;
    const message = shown ? presentMessage(fence, shown) : null;
    const nearest = shown ? [] : presentMisses(fence, unmatched.nearest);
    return {
      data: { outcome, message, mark, settled, nearest, fence: fence.block && fence.id },
      fence,
      ...(shown ? {} : { note: nothingYet(NAME) }),
    };
  },
});
