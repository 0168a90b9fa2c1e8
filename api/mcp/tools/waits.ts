/** The tools that wait. Answers with a code or a link have no text of the mail. */
import * as z from 'zod';
import { choose } from '../../../core/extraction/confidence.ts';
import { ACTION_KINDS, type Extraction } from '../../../core/extraction/types.ts';
import { findMessageWithFiles } from '../../../core/messages/messages.ts';
import {
  type ExtractionSelector,
  waitForExtracted,
} from '../../../core/waits/wait-for-extracted.ts';
import { type MatchResult, waitForMessages } from '../../../core/waits/wait.ts';
import { Fence, plainUrl } from '../fence.ts';
import { addSender, fenceMessage } from '../message.ts';
import { type ToolContext, type ToolRequest, defineTool } from '../tool.ts';
import { nameOthers } from './others.ts';
import { type ExtractedCriterion, type ReadWait, runWait, waitInput } from './wait-input.ts';

export const waitForCode = defineTool({
  name: 'wait_for_code',
  title: 'Wait for a code',
  description:
    'Waits for a message with a code for signing in or verifying, and returns the code of the newest one.',
  input: waitInput,
  run: (call, input, request) =>
    waitFor(call, input, request, {
      tool: 'wait_for_code',
      criterion: { hasCode: true },
      name: 'code',
      pick: ({ code }) => code,
    }),
});

export const waitForLink = defineTool({
  name: 'wait_for_link',
  title: 'Wait for a link',
  description:
    'Waits for a message with a link that verifies an address, signs in, resets a password or accepts an invitation, and returns the link of the newest one. No tool opens links.',
  input: waitInput.extend({
    kind: z.enum(ACTION_KINDS).optional(),
  }),
  run: (call, { kind, ...input }, request) => {
    const kinds = kind === undefined ? ACTION_KINDS : [kind];
    const pick = ({ links }: Extraction) => {
      const fitting = kinds
        .flatMap((each) => links.filter((one) => one.kind === each))
        .sort((a, b) => b.confidence - a.confidence);
      const chosen = choose(fitting);
      const url = chosen && plainUrl(chosen.url);
      return chosen && url ? { url, kind: chosen.kind, sameDomain: chosen.sameDomain } : null;
    };
    const criterion = { link: kinds };
    return waitFor(call, input, request, { tool: 'wait_for_link', criterion, name: 'link', pick });
  },
});

interface Wanted<Value> extends ExtractionSelector<Value> {
  tool: string;
  criterion: ExtractedCriterion;
}

async function waitFor<Value>(
  call: ToolContext,
  input: z.output<typeof waitInput>,
  request: ToolRequest,
  { tool, criterion, ...wanted }: Wanted<Value>,
) {
  const wait = async ({ waiting, asked }: ReadWait) => {
    const result = await waitForExtracted(call.context, call.waits, waiting, asked, wanted);
    return result && { ...result, mailbox: waiting.mailbox };
  };
  const { found, settled, ...looked } = await runWait(call, input, request, wait, criterion);
  const shown = found?.shown ?? null;
  const fence = new Fence();
  if (shown) addSender(fence, shown);
  const returned = shown?.message.id ?? null;
  const what = wanted.name;
  const { note, ...rest } = nameOthers(fence, { ...looked, returned }, { tool, what });
  return {
    data: {
      outcome: found ? 'matched' : 'timeout',
      [what]: found?.value ?? null,
      messageId: returned,
      receivedAt: shown?.message.receivedAt.toISOString() ?? null,
      settled,
      ...rest,
    },
    fence,
    note,
  };
}

export const waitForMessage = defineTool({
  name: 'wait_for_message',
  title: 'Wait for a message',
  description:
    'Waits until a message matches all arguments, and returns the oldest one after the mark. Without a mark, messages that are there already count.',
  input: waitInput,
  run: async (call, input, request) => {
    const { context, waits, admit } = call;
    let looked: Pick<MatchResult, 'considered' | 'next'> = { considered: [], next: 0 };
    const wait = async ({ waiting, asked }: ReadWait) => {
      const first = { ...asked, count: 1, order: 'oldest' as const };
      const result = await waitForMessages(context, waits, waiting, first, async (rows, found) => {
        looked = found;
        for (const { bodyBytes } of rows) admit(2 * bodyBytes);
        const all = rows.map(({ id }) => findMessageWithFiles(context, waiting.mailbox.id, id));
        return (await Promise.all(all)).filter((shown) => shown !== null);
      });
      return result && { ...result, mailbox: waiting.mailbox };
    };
    const { outcome, settled, messages, mailbox } = await runWait(call, input, request, wait);
    const [shown] = messages;
    const fence = new Fence();
    const message = shown ? await fenceMessage(call, fence, shown) : null;
    const returned = message?.id ?? null;
    const asked = { tool: 'wait_for_message' };
    const { note, ...rest } = nameOthers(fence, { ...looked, mailbox, returned }, asked);
    return { data: { outcome, message, settled, ...rest }, fence, note };
  },
});
