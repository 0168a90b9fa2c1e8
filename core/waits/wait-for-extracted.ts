/** Waits for a message in which extraction finds what is asked for, such as a code. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { Extraction } from '../extraction/types.ts';
import { extractedFrom } from '../messages/extractions.ts';
import { type Message, findMessageWithFiles } from '../messages/messages.ts';
import type { Criterion } from '../matching/criteria.ts';
import { type WaitServices, type WaitResult, waitForMessages } from './wait.ts';

/** Messages that match the criteria and are looked at, newest first. */
const MOST = 100;
const MAX_NEAREST = 5;

type Waiting = Parameters<typeof waitForMessages>[2];

export interface ExtractedRequest {
  /** With `hasCode` or `link`, so that other messages are not looked at. */
  criteria: Criterion[];
  /** Only messages with a greater number. */
  after?: number;
  /** Seconds. */
  timeout: number;
}

/** What is asked for. */
export interface ExtractionSelector<Value> {
  /** Stands for `hasCode` and `link` in what a message fails. */
  name: string;
  /** Null if the message does not have it. */
  pick: (extraction: Extraction) => Value | null;
}

/**
 * A message that is not the one, and the criteria that it does not match, or what it does not have.
 */
export interface ExtractedMiss {
  messageId: string;
  subject: string;
  failed: string[];
}

export interface ExtractedResult<Value> extends Pick<WaitResult<never>, 'mark' | 'settled'> {
  /** The newest message with a value; null if none arrived in time. */
  found: { value: Value; shown: Message } | null;
  /** Those that match the criteria first; without order otherwise. */
  nearest: ExtractedMiss[];
}

/**
 * @returns null if `gone` is aborted
 * @throws {AppError} as {@link waitForMessages}
 */
export async function waitForExtracted<Value>(
  context: Pick<Context, 'now' | 'store' | 'log' | 'blobs'>,
  parts: WaitServices,
  waiting: Waiting,
  asked: ExtractedRequest,
  { name, pick }: ExtractionSelector<Value>,
): Promise<ExtractedResult<Value> | null> {
  let fitting: ExtractedMiss[] = [];
  /** A message without the value stays without it. */
  const known = new Map<string, ExtractedMiss>();
  const request = { ...asked, count: 1, most: MOST, order: 'newest' as const };
  const result = await waitForMessages(context, parts, waiting, request, async (rows) => {
    fitting = [];
    for (const { id } of rows) {
      const shown = known.has(id)
        ? null
        : await findMessageWithFiles(context, waiting.mailbox.id, id);
      if (shown) {
        const value = pick(await extractedFrom(context, shown));
        if (value !== null) return [{ value, shown }];
        known.set(id, { messageId: id, subject: shown.mail.subject, failed: [name] });
        await nextTurn(); // long mail takes milliseconds
      }
      const miss = known.get(id);
      if (miss) fitting.push(miss);
    }
    return [];
  });
  if (!result) return null;
  const { mark, settled, messages, unmatched } = result;
  const others = unmatched.nearest.map(({ failed, ...miss }) => ({
    ...miss,
    failed: failed.map((each) => (each === 'hasCode' || each === 'link' ? name : each)),
  }));
  const nearest = [...fitting, ...others].slice(0, MAX_NEAREST);
  return { found: messages[0] ?? null, mark, settled, nearest };
}
