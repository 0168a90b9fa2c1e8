/**
 * When what was put back has its turn: one behind the other, as often as a place is likely to come free.
 * Nobody can tell what will be free in more than half a minute, and those who would have their turn only
 * then need not all be told the same moment: they stand in one line for the whole process, which wakes them
 * a few at a time. So the longer the line, the longer each of them rests, and however many they are, asking
 * again costs little.
 */
const MIN_PARK_MS = 250;
const NEAR_MS = 30_000;
const FAR_GAP_MS = 10;

/** A line; the time is when the last one in it has its turn. */
export interface Line {
  endsAt: number;
}

export interface ParkLines {
  /** Milliseconds until the turn of one more behind all those in the line, `gapMs` after the last of them. */
  park: (line: Line, gapMs: number) => number;
}

/** @param now a clock in milliseconds that never goes back. */
export function openParkLines(now: () => number): ParkLines {
  const far: Line = { endsAt: 0 };
  return {
    park(line, gapMs) {
      const at = now();
      const turn = Math.max(line.endsAt, at) + gapMs;
      if (turn <= at + NEAR_MS) {
        line.endsAt = turn;
        return Math.round(Math.max(turn - at, MIN_PARK_MS));
      }
      far.endsAt = Math.max(far.endsAt, at + NEAR_MS) + FAR_GAP_MS;
      return Math.round(far.endsAt - at);
    },
  };
}
