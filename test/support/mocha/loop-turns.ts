/**
 * How long one turn of this process's event loop takes at most, in CPU time: what a turn costs is the same
 * on a busy machine, where it may last far longer.
 */
export interface TurnWatch {
  /** The CPU milliseconds of the longest turn until now, which ends the watching. */
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
