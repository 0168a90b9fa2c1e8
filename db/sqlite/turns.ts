/**
 * Turns of the event loop. SQLite runs statements synchronously, and awaiting one lets neither
 * timers nor I/O run. A loop over statements, or a queue of transactions, would stop the process
 * for as long as it lasts: 6.5 s were measured, after which locks of jobs were lost. After some
 * milliseconds of a turn, work therefore waits for the next turn.
 */

/**
 * The time from the first work of a turn until other work waits. A turn costs some microseconds,
 * and mail waits for the turn of a long loop.
 */
const TURN_MS = 5;

/**
 * Runs synchronous work, in the order of the calls: at once, or in one of the next turns.
 * Resolves to its result.
 */
export type InTurn = <Result>(work: () => Result) => Promise<Result>;

export function openTurns(): InTurn {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  let endsAt = 0;

  const hasTime = () => performance.now() < endsAt;
  const begin = () => {
    isOpen = true;
    endsAt = performance.now() + TURN_MS;
    setImmediate(next);
  };
  const next = () => {
    isOpen = false;
    if (waiting.length === 0) return;
    begin();
    while (waiting.length > 0 && hasTime()) waiting.shift()?.();
  };

  return async (work) => {
    if (!isOpen) begin();
    if (waiting.length === 0 && hasTime()) return work();
    return new Promise((resolve) => {
      waiting.push(() => {
        resolve((async () => work())()); // which rejects if it throws
      });
    });
  };
}
