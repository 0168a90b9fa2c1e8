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
const MAX_NEAREST = 5;

type Waiting = Parameters<typeof waitForMessages>[2];

export interface ExtractedRequest {
  criteria: Criterion[];
  /** Only messages after this mark. */
  mark?: Mark;
  /** Seconds. */
  timeout: number;
}

/** What is asked for. */
export interface Wanted<Value> {
  name: string;
  /** Null if the message does not have it. */
  pick: (extraction: Extraction) => Value | null;
}

/** A message that is not the one, and the criteria that it does not fit, or what it does not have. */
export interface ExtractedMiss {
  messageId: string;
  subject: string;
  failed: string[];
}

export interface ExtractedResult<Value> extends Pick<WaitResult<never>, 'mark' | 'settled'> {
  /** The newest message with a value; null if none arrived in time. */
  found: { value: Value; shown: Message } | null;
  /** Those that fit the criteria first; without order otherwise. */
  nearest: ExtractedMiss[];
}

/**
 * @returns null if `gone` is aborted
 * @throws {AppError} as {@link waitForMessages}
 */
export async function waitForExtracted<Value>(
  context: Pick<Context, 'now' | 'store' | 'log' | 'blobs'>,
  parts: WaitParts,
  waiting: Waiting,
  { criteria, timeout, mark: after }: ExtractedRequest,
  { name, pick }: Wanted<Value>,
): Promise<ExtractedResult<Value> | null> {
  const { mailbox } = waiting;
  const deadline = performance.now() + timeout * 1000;
  const fitting: ExtractedMiss[] = [];
  const others: ExtractedMiss[] = [];
  let mark = after;
  for (;;) {
    const newest = { criteria, ...(mark && { mark }), count: PER_LOOK, order: 'newest' as const };
    const seen = await look(context, parts.contents, mailbox, newest);
    for (const { id } of seen.matches) {
      const shown = await loadMessage(context, mailbox.id, id);
      if (!shown) continue;
      const value = pick(await extractedFrom(context, shown));
      if (value !== null) {
        return { found: { value, shown }, mark: seen.mark, settled: true, nearest: [] };
      }
      fitting.push({ messageId: id, subject: shown.mail.subject, failed: [name] });
    }
    others.push(...seen.unmatched.nearest);
    mark = decodeMark(mailbox, seen.mark);
    const left = Math.max(0, deadline - performance.now()) / 1000;
    const next = { criteria, mark, count: 1, order: 'oldest' as const, timeout: left };
    const result = await waitForMessages(context, parts, waiting, next, async (rows) => rows);
    if (!result) return null;
    const { outcome, settled, unmatched } = result;
    if (outcome === 'matched') continue;
    const nearest = [...fitting, ...unmatched.nearest, ...others].slice(0, MAX_NEAREST);
    return { found: null, mark: result.mark, settled, nearest };
  }
}
