/**
 * Work on the content of mail that a request waits for. What is small is done in the web process,
 * within a few milliseconds; the rest in its child processes, in turns of workspaces, so that much
 * work of one delays that of another by one piece of it. Work of a client that has closed its
 * connection leaves the queue.
 *
 * A mail (a raw upload, or a mail enclosed in another) is parsed in two lanes as in the worker: two
 * mails at a time within the short time limit, and one that exceeds it within the long one.
 */
import { INLINE_MAX_BYTES } from '../blobs/blob-store.ts';
import { AppError } from '../errors.ts';
import type { Admit } from '../limits/byte-budget.ts';
import { type Turns, openTurns } from '../limits/turns.ts';
import type { DraftContent, Mail } from './parse-mail.ts';
import type { ParsePool } from './parser-pool.ts';
import type { Task } from './task.ts';

/** Longest wait for a turn. */
const WAIT_MS = 30_000;
const QUICK_AT_ONCE = 2;
const SLOW_AT_ONCE = 1;
/** Each holds a stored mail, and can have a child process. */
const READ_AT_ONCE = 2;

/** On whose behalf work is done. */
export interface Reader {
  workspaceId: string;
  /** Aborted when the client closes its connection. */
  readonly gone: AbortSignal;
  /** Present if a response is made of what is read. */
  readonly admit?: Admit;
}

/** The `gone` of work that does not end with one client. */
export const NEVER = new AbortController().signal;

export interface Reading {
  /**
   * Parses a small mail in this process, another in a child, at first with the short time limit and
   * then with the long one. After that only the header is parsed.
   * @throws {AppError} `unavailable` if no child can be started, there is no turn within 30 s, or
   *   the client has gone.
   */
  parse: (reader: Reader, raw: Buffer) => Promise<Mail<Buffer | DraftContent>>;
  /**
   * Does work that holds a stored mail of any size, in the turn of the reader. The work gets a
   * function that runs a task in a child within this turn: a second turn could wait for this one.
   * @throws {AppError} `unavailable` if there is no turn within 30 s, or the client has gone.
   */
  inTurn: <Result>(
    reader: Reader,
    work: (run: ParsePool['run']) => Promise<Result>,
  ) => Promise<Result>;
  /**
   * Runs a task: in this process if its input is small, otherwise in a child in the turn of the
   * reader. Then the input is loaded again, so that waiting requests hold none.
   * @throws {AppError} `unavailable` as `inTurn`, and if the task takes too much time or memory.
   */
  run: <Input, Output>(
    reader: Reader,
    task: Task<Input, Output>,
    load: () => Input | Promise<Input>,
  ) => Promise<Output>;
}

export function openReading(pool: ParsePool): Reading {
  const quick = openTurns(QUICK_AT_ONCE);
  const slow = openTurns(SLOW_AT_ONCE);
  const read = openTurns(READ_AT_ONCE);
  return {
    async parse(reader, raw) {
      const inline = raw.length <= INLINE_MAX_BYTES ? await pool.parseInline(raw) : null;
      return (
        inline ??
        (await within(quick, reader, () => pool.parseQuickly(raw, raw.length))) ??
        (await within(slow, reader, () => pool.parse(raw)))
      );
    },
    inTurn: (reader, work) => within(read, reader, () => work(pool.run)),
    async run(reader, task, load) {
      const small = await runSmall(task, await load());
      if (small) return small.output;
      return within(read, reader, async () => pool.run(task, await load()));
    },
  };
}

/** Null if the input is not small. A function of its own, so that no caller keeps the input. */
async function runSmall<Input, Output>(
  task: Task<Input, Output>,
  input: Input,
): Promise<{ output: Output } | null> {
  return task.sizeOf(input) <= task.inlineSize ? { output: await task.run(input) } : null;
}

async function within<Result>(
  turns: Turns,
  { workspaceId, gone }: Reader,
  work: () => Promise<Result>,
): Promise<Result> {
  const tooLong = AbortSignal.timeout(WAIT_MS);
  const signal = AbortSignal.any([gone, tooLong]);
  try {
    return await turns(workspaceId, work, signal);
  } catch (error) {
    if (error !== signal.reason || !signal.aborted) throw error;
    const text = gone.aborted
      ? 'The connection was closed before the mail was read.'
      : 'Too many large or slow mails are being read. Retry in a few seconds.';
    throw new AppError('unavailable', text);
  }
}
