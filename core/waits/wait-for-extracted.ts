/** Waits for a message in which extraction finds what is asked for, such as a code. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { Extraction } from '../extraction/types.ts';
import { extractedFrom } from '../messages/extractions.ts';
import { type Message, findMessageWithFiles } from '../messages/messages.ts';
import type { Criterion } from '../matching/criteria.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Considered } from '../matching/look.ts';
import {
  type MatchResult,
  type WaitServices,
  type WaitResult,
  type Waiting,
  waitForMessages,
} from './wait.ts';

/** Messages that match the criteria and are looked at, newest first. */
const MOST = 100;

export interface ExtractedRequest {
  /** With `hasCode` or `link`, so that other messages are not looked at. */
  criteria: Criterion[];
  /** Only messages with a greater number. */
  after?: number;
  /** Seconds. */
  timeout: number;
  /** Number of considered messages that are listed at most. */
  listed: number;
}

/** What is asked for. */
export interface ExtractionSelector<Value> {
  /** Stands for `hasCode` and `link` in what a message fails. */
  name: string;
  /** Null if the message does not have it. */
  pick: (extraction: Extraction) => Value | null;
}

/**
 * A considered message, and the criteria that it does not match, or what it does not have. None for
 * the one that is found, and for earlier ones with a value.
 */
export interface ExtractedFrom extends Omit<Considered, 'failed'> {
  failed: string[];
}

export interface ExtractedResult<Value> extends Pick<WaitResult<never>, 'settled'> {
  /** The newest message with a value; null if none arrived in time. */
  found: { value: Value; shown: Message } | null;
  /** The first messages that were considered, in the order of their numbers. */
  considered: ExtractedFrom[];
  /** All messages up to this number were considered. */
  next: number;
}

/**
 * @returns null if `gone` is aborted
 * @throws {AppError} as {@link waitForMessages}
 */
export async function waitForExtracted<Value>(
  context: Pick<Context, 'now' | 'store' | 'log' | 'blobs' | 'ingest'>,
  parts: WaitServices,
  waiting: Waiting & { mailbox: MailboxRow },
  asked: ExtractedRequest,
  { name, pick }: ExtractionSelector<Value>,
): Promise<ExtractedResult<Value> | null> {
  let last: Pick<MatchResult, 'considered' | 'next'> = { considered: [], next: 0 };
  /** A message without the value stays without it. */
  const without = new Set<string>();
  const request = { ...asked, count: 1, most: MOST, order: 'newest' as const };
  const result = await waitForMessages(context, parts, waiting, request, async (rows, matched) => {
    last = matched;
    for (const { id } of rows) {
      const shown = without.has(id)
        ? null
        : await findMessageWithFiles(context, waiting.mailbox.id, id);
      if (!shown) continue;
      const value = pick(await extractedFrom(context, shown, waiting.gone));
      if (value !== null) return [{ value, shown }];
      without.add(id);
      await nextTurn(); // long mail takes milliseconds
    }
    return [];
  });
  if (!result) return null;
  const considered = last.considered.map(({ failed, ...rest }) => ({
    ...rest,
    failed: without.has(rest.messageId)
      ? [name]
      : failed.map((each) => (each === 'hasCode' || each === 'link' ? name : each)),
  }));
  return {
    found: result.messages[0] ?? null,
    settled: result.settled,
    considered,
    next: last.next,
  };
}
