/**
 * Finds a process that hangs: its event loop has not turned for a minute, whatever holds it.
 * Another process or thread asks it, and it answers from a timer of its main thread.
 */

/** What is asked, over the IPC channel; the answer there is `{alive: WatchAnswer}`. */
export const QUESTION = 'is it alive?';

/** One answer: whether a debugger can hold the process, which then is not judged. */
export interface WatchAnswer {
  isInspected: boolean;
}

export interface WatchTimes {
  /** Milliseconds between two ticks of the asker. */
  everyMs: number;
  /** Ticks after which an unanswered question counts as a hang. */
  ticks: number;
}

/** 60 to 70 s, of which up to 10 s pass before the next question. */
export const WATCH_TIMES: WatchTimes = { everyMs: 10_000, ticks: 6 };

export interface Watch {
  answered: (answer: WatchAnswer) => void;
  stop: () => void;
}

/**
 * Asks at once, and at each tick once the last question is answered. Calls `hangs` one time, with
 * the seconds for which a question has waited. Ticks of the asker count, not the time: it has none
 * while the machine is suspended or the asker gets no processor. A process that has never answered
 * does not hang: it still loads, or is not a process of Mayfly.
 */
export function openWatch(
  { everyMs, ticks }: WatchTimes,
  ask: () => void,
  hangs: (seconds: number) => void,
): Watch {
  let waited: number | null = null;
  let isJudged = false;
  const tick = () => {
    if (waited === null) {
      waited = 0;
      ask();
      return;
    }
    waited += 1;
    if (!isJudged || waited < ticks) return;
    clearInterval(timer);
    hangs((waited * everyMs) / 1000);
  };
  const timer = setInterval(tick, everyMs);
  tick();
  return {
    answered({ isInspected }) {
      waited = null;
      isJudged = !isInspected;
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}
