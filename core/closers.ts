/**
 * Ordered shutdown: every step is started, even if an earlier one fails or hangs, and all share one
 * deadline.
 */
import { errorText } from './errors.ts';
import type { Logger } from './log.ts';

/** Time limit to close everything that a context has opened. */
const CLOSE_WITHIN_MS = 5_000;

/**
 * Time limit for the shutdown of a process including requests in progress; below the hard limit in
 * core/process/run-process.
 */
export const STOP_WITHIN_MS = 25_000;

export interface Closers {
  /** Registers how `opened` is closed, and returns it. */
  add: <Opened>(opened: Opened, close: (opened: Opened) => unknown) => Opened;
  /**
   * Closes everything, newest first. @throws the first failure, after every step has finished or
   * timed out.
   */
  close: () => Promise<void>;
}

/** Opens several resources in order. If one fails, the ones already open are closed. */
export async function openInOrder<Opened>(
  log: Logger,
  open: (closers: Closers) => Promise<Opened>,
): Promise<Opened> {
  const steps: (() => unknown)[] = [];
  const closers: Closers = {
    add(opened, close) {
      steps.unshift(() => close(opened));
      return opened;
    },
    close: () => closeInOrder(steps, log, CLOSE_WITHIN_MS),
  };
  try {
    return await open(closers);
  } catch (error) {
    await closers.close().catch(() => undefined); // logged; the error that caused the close matters more
    throw error;
  }
}

/**
 * Runs the steps in order. After `withinMs` in total, the remaining steps are started without
 * waiting.
 * @throws the first failure, after every step has finished or timed out.
 */
export async function closeInOrder(
  steps: readonly (() => unknown)[],
  log: Logger,
  withinMs: number,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, withinMs, 'late');
  });
  let outcome: unknown;
  const failures: unknown[] = [];
  for (const step of steps) {
    const done = Promise.resolve().then(async () => {
      await step();
    });
    const noted = done.catch((error: unknown) => {
      failures.push(error);
      log.warn('close failed', { fault: errorText(error) });
    });
    outcome = await Promise.race([noted, deadline]);
  }
  clearTimeout(timer);
  if (outcome === 'late') log.warn('close timed out, continuing in the background', { withinMs });
  if (failures.length > 0) throw failures[0];
}
