/**
 * A clock that runs while the event loop does. What a process is late by, for want of CPU or in a long turn, is no time
 * of a receiver: its answer may have been there.
 */
const TICK_MS = 50;

export interface LoopClock {
  /** Milliseconds from an arbitrary start; never goes back, and behind the time by what each tick was late. */
  now: () => number;
  stop: () => void;
}

export function startLoopClock(): LoopClock {
  let ticked = performance.now();
  let time = 0;
  const now = () => time + Math.min(performance.now() - ticked, TICK_MS);
  const timer = setInterval(() => {
    time = now();
    ticked = performance.now();
  }, TICK_MS).unref();
  return {
    now,
    stop: () => {
      clearInterval(timer);
    },
  };
}
