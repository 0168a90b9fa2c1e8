/** Closing in order: every step is begun, also after one that fails or hangs, and all share one deadline. */
import { errorText } from './errors.js';
import type { Logger } from './log.js';

/** For all that a context has opened together. */
const CLOSE_WITHIN_MS = 5_000;

/** For the whole stop of a process, what is in flight included: below the hard limit in core/process/run-process. */
export const STOP_WITHIN_MS = 25_000;

export interface Closers {
  /** Remembers how `opened` is closed, and returns it. */
  add: <Opened>(opened: Opened, close: (opened: Opened) => unknown) => Opened;
  /** Closes everything, the newest first. @throws the first failure, once every step has run or is late. */
  close: () => Promise<void>;
}

/** Opens several things one after the other; when one of them fails, those opened before are closed. */
export async function openInTurn<Opened>(
  log: Logger,
  open: (closers: Closers) => Promise<Opened>,
): Promise<Opened> {
  const steps: (() => unknown)[] = [];
  const closers: Closers = {
    add(opened, close) {
      steps.unshift(() => close(opened));
      return opened;
    },
    close: () => closeInTurn(steps, log, CLOSE_WITHIN_MS),
  };
  try {
    return await open(closers);
  } catch (error) {
    await closers.close().catch(() => undefined); // logged; the first fault says more
    throw error;
  }
}

/**
 * Runs the steps one after the other. After `withinMs` in all, nothing is waited for any more, but the steps that
 * are left are begun.
 * @throws the first failure, once every step has run or is late.
 */
export async function closeInTurn(
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
      log.warn('not closed', { fault: errorText(error) });
    });
    outcome = await Promise.race([noted, deadline]);
  }
  clearTimeout(timer);
  if (outcome === 'late') log.warn('closing goes on without waiting', { withinMs });
  if (failures.length > 0) throw failures[0];
}
