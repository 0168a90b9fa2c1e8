/**
 * A bounded share of a worker's places for work that is slow, so that quick work always finds one. What finds
 * none of them free comes back later, the later the more there are that do.
 */
export interface Share {
  /** Takes a place for the work of this id: null, or in how many milliseconds to come back. */
  enter: (id: string) => number | null;
  leave: () => void;
  /** Whether it was sent away lately. */
  isAwaited: (id: string) => boolean;
}

const SHORTEST_MS = 200;
const LONGEST_MS = 10_000;
/** So that all who wait come back at 200 a second at most. */
const EACH_MS = 5;
/** What has not come back by then was taken up by another worker. */
const FORGET_MS = 3 * LONGEST_MS;

export function openShare(places: number, now = () => performance.now()): Share {
  /** When each was sent away, the longest ago first. */
  const away = new Map<string, number>();
  let taken = 0;

  const forgetLost = () => {
    for (const [id, since] of away) {
      if (now() - since <= FORGET_MS) return;
      away.delete(id);
    }
  };

  return {
    enter(id) {
      forgetLost();
      away.delete(id);
      if (taken < places) {
        taken += 1;
        return null;
      }
      away.set(id, now());
      return Math.min(SHORTEST_MS + away.size * EACH_MS, LONGEST_MS);
    },
    leave() {
      taken -= 1;
    },
    isAwaited: (id) => away.has(id),
  };
}
