/**
 * Parses mail that a request waits for: a raw upload, or a mail enclosed in another. What is not
 * small is parsed in child processes of the web process, in two lanes as in the worker: two mails
 * at a time within the short time limit, and one that exceeds it within the long one. Workspaces
 * take turns in each lane, so many slow mails of one delay a mail of another by one of them.
 */
import { INLINE_MAX_BYTES } from '../blobs/blob-store.ts';
import { AppError } from '../errors.ts';
import { type Turns, openTurns } from '../limits/turns.ts';
import type { DraftContent, Mail } from './parse-mail.ts';
import type { ParsePool } from './parser-pool.ts';

/** Longest wait for a turn in a lane. */
const WAIT_MS = 30_000;
const QUICK_AT_ONCE = 2;
const SLOW_AT_ONCE = 1;

/**
 * Parses a small mail in this process, another in a child, at first with the short time limit and
 * then with the long one. After that only the header is parsed.
 * @throws {AppError} `unavailable` if no child can be started, or there is no turn within 30 s.
 */
export type RequestParser = (
  workspaceId: string,
  raw: Buffer,
) => Promise<Mail<Buffer | DraftContent>>;

export function openRequestParser(pool: ParsePool): RequestParser {
  const quick = openTurns(QUICK_AT_ONCE);
  const slow = openTurns(SLOW_AT_ONCE);
  return async (workspaceId, raw) => {
    const inline = raw.length <= INLINE_MAX_BYTES ? await pool.parseInline(raw) : null;
    return (
      inline ??
      (await within(quick, workspaceId, () => pool.parseQuickly(raw, raw.length))) ??
      (await within(slow, workspaceId, () => pool.parse(raw)))
    );
  };
}

async function within<Result>(
  turns: Turns,
  workspaceId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const signal = AbortSignal.timeout(WAIT_MS);
  try {
    return await turns(workspaceId, work, signal);
  } catch (error) {
    if (error !== signal.reason || !signal.aborted) throw error;
    const text = 'Too many large or slow mails are being parsed. Retry in a few seconds.';
    throw new AppError('unavailable', text);
  }
}
