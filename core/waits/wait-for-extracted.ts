/** Waits for a message in which extraction finds what is asked for, such as a code. */
import type { Context } from '../context.js';
import type { Extraction } from '../extraction/types.js';
import { extractedFrom } from '../messages/extracted.js';
import { type Mark, decodeMark } from '../messages/mark.js';
import { type Message, loadMessage } from '../messages/messages.js';
import type { Criterion } from './criteria.js';
import { look } from './look.js';
import { type WaitParts, type WaitResult, waitForMessages } from './wait.js';

/** Messages that one reading looks at, newest first. */
const PER_LOOK = 100;

type Waiting = Parameters<typeof waitForMessages>[2];

export interface ExtractedRequest {
  criteria: Criterion[];
  /** Only messages after this mark. */
  mark?: Mark;
  /** Seconds. */
  timeout: number;
}

export interface ExtractedResult<Value> extends Pick<
  WaitResult<never>,
  'mark' | 'settled' | 'unmatched'
> {
  /** The newest message with a value; null if none arrived in time. */
  found: { value: Value; shown: Message } | null;
}

/**
 * @param pick what is asked for, or null if the message does not have it
 * @returns null if `gone` is aborted
 * @throws {AppError} as {@link waitForMessages}
 */
export async function waitForExtracted<Value>(
  context: Pick<Context, 'now' | 'store' | 'log' | 'blobs'>,
  parts: WaitParts,
  waiting: Waiting,
  { criteria, timeout, mark: after }: ExtractedRequest,
  pick: (extraction: Extraction) => Value | null,
): Promise<ExtractedResult<Value> | null> {
  const { mailbox } = waiting;
  const deadline = performance.now() + timeout * 1000;
  let mark = after;
  for (;;) {
    const place = { criteria, ...(mark && { mark }) };
    const seen = await look(context, parts.contents, mailbox, {
      ...place,
      count: PER_LOOK,
      order: 'newest',
    });
    for (const { id } of seen.matches) {
      const shown = await loadMessage(context, mailbox.id, id);
      const value = shown && pick(await extractedFrom(context, shown));
      if (shown && value !== null) {
        return {
          found: { value, shown },
          mark: seen.mark,
          settled: true,
          unmatched: seen.unmatched,
        };
      }
    }
    mark = decodeMark(mailbox, seen.mark);
    const left = Math.max(0, deadline - performance.now()) / 1000;
    const request = { criteria, mark, count: 1, order: 'oldest' as const, timeout: left };
    const result = await waitForMessages(context, parts, waiting, request, (rows) =>
      Promise.resolve(rows),
    );
    if (!result) return null;
    const { outcome, settled, unmatched } = result;
    if (outcome === 'timeout') return { found: null, mark: result.mark, settled, unmatched };
  }
}
