/**
 * Measures the longest turn of the event loop of this process in CPU time, which does not depend on
 * other load of the machine.
 */
export interface TurnWatch {
  /** Ends the measurement. Returns the CPU milliseconds of the longest turn. */
  stop: () => number;
}

export function watchTurns(): TurnWatch {
  let longest = 0;
  let before = process.cpuUsage();
  let watching = true;
  const turn = () => {
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.cpuUsage();
    if (watching) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop: () => {
      watching = false;
      turn();
      return longest;
    },
  };
}
