/** The tools that wait. Answers with a code or a link have no text of the mail. */
import * as z from 'zod';
import { choose } from '../../../core/extraction/confidence.ts';
import { ACTION_KINDS, type Extraction } from '../../../core/extraction/types.ts';
import {
  type ExtractionSelector,
  waitForExtracted,
} from '../../../core/waits/wait-for-extracted.ts';
import { Fence, plainUrl } from '../fence.ts';
import { addSender, fenceData, messageData, fenceMessage } from '../message.ts';
import { type ToolContext, type ToolRequest, defineTool } from '../tool.ts';
import {
  type ExtractedCriterion,
  type ReadWait,
  missOutput,
  nothingYet,
  presentMisses,
  runWait,
  waitInput,
  waitOutput,
} from './wait-input.ts';
import { findMessageWithFiles } from '../../../core/messages/messages.ts';
import { waitForMessages } from '../../../core/waits/wait.ts';

const found = {
  messageId: z.string().nullable().describe('The id of the message, or null.'),
  receivedAt: z.string().nullable().describe('When the message was received, ISO 8601, or null.'),
  nearest: missOutput,
  fence: fenceData,
};

export const waitForCode = defineTool({
  name: 'wait_for_code',
  title: 'Wait for a code',
  description:
    'Waits for a message with a code for signing in or verifying, and returns the code of the newest one. Pass a mark to leave out earlier codes.',
  input: waitInput,
  output: waitOutput.extend({
    code: z.string().nullable().describe('The code, or null.'),
    ...found,
  }),
  run: async (call, input, request) => {
    const { value, ...rest } = await waitFor(
      call,
      input,
      request,
      { name: 'code', criterion: { hasCode: true }, pick: ({ code }) => code },
      'wait_for_code',
    );
    return { ...rest, data: { ...rest.data, code: value } };
  },
});

const link = z.strictObject({
  url: z.string().describe('The URL. No tool opens it.'),
  kind: z.enum(ACTION_KINDS).describe('What the link is for.'),
  sameDomain: z.boolean().describe('Whether it leads to the domain of the sender.'),
});

export const waitForLink = defineTool({
  name: 'wait_for_link',
  title: 'Wait for a link',
  description:
    'Waits for a message with a link that verifies an address, signs in, resets a password or accepts an invitation, and returns the link of the newest one. Pass a mark to leave out earlier links.',
  input: waitInput.extend({
    kind: z.enum(ACTION_KINDS).optional().describe('Only links of this kind.'),
  }),
  output: waitOutput.extend({ link: link.nullable().describe('The link, or null.'), ...found }),
  run: async (call, { kind, ...input }, request) => {
    const kinds = kind === undefined ? ACTION_KINDS : [kind];
    const pick = ({ links }: Extraction) => {
      const fitting = kinds
        .flatMap((each) => links.filter((one) => one.kind === each))
        .sort((a, b) => b.confidence - a.confidence);
      const chosen = choose(fitting);
      const url = chosen && plainUrl(chosen.url);
      if (!chosen || !url) return null;
      const action = kinds.find((each) => each === chosen.kind);
      return action ? { url, kind: action, sameDomain: chosen.sameDomain } : null;
    };
    const { value, ...rest } = await waitFor(
      call,
      input,
      request,
      { name: 'link', criterion: { link: kinds }, pick },
      'wait_for_link',
    );
    return { ...rest, data: { ...rest.data, link: value } };
  },
});

async function waitFor<Value>(
  call: ToolContext,
  input: z.output<typeof waitInput>,
  request: ToolRequest,
  { criterion, ...wanted }: ExtractionSelector<Value> & { criterion: ExtractedCriterion },
  tool: string,
) {
  const wait = ({ waiting, asked }: ReadWait) =>
    waitForExtracted(call.context, call.waits, waiting, asked, wanted);
  const result = await runWait(call, input, request, wait, criterion);
  const { mark, settled } = result;
  const fence = new Fence();
  if (result.found) addSender(fence, result.found.shown);
  const nearest = result.found ? [] : presentMisses(fence, result.nearest);
  return {
    value: result.found?.value ?? null,
    data: {
      outcome: result.found ? ('matched' as const) : ('timeout' as const),
      messageId: result.found?.shown.message.id ?? null,
      receivedAt: result.found?.shown.message.receivedAt.toISOString() ?? null,
      ...{ mark, settled, nearest },
      fence: fence.block && fence.id,
    },
    fence,
    ...(result.found ? {} : { note: nothingYet(tool) }),
  };
}

export const waitForMessage = defineTool({
  name: 'wait_for_message',
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
    const message = shown ? fenceMessage(fence, shown) : null;
    const nearest = shown ? [] : presentMisses(fence, unmatched.nearest);
    return {
      data: { outcome, message, mark, settled, nearest, fence: fence.block && fence.id },
      fence,
      ...(shown ? {} : { note: nothingYet('wait_for_message') }),
    };
  },
});
