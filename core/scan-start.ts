/**
 * Where the scan of an index by time starts. PostgreSQL keeps the entries of removed and changed
 * rows until a vacuum, which an open snapshot delays, and a scan from the beginning reads each of
 * them. A scan therefore starts where an earlier one found the oldest entry, and at the beginning
 * only at times, for entries that were added before that.
 */
import type { Store } from '../db/store.ts';

export interface ScanStart<Position> {
  /** Where the next scan starts. */
  next: () => Position;
  /** Before this position there is no entry. */
  set: (position: Position) => void;
}

/**
 * One start for each store.
 * @param fullEveryMs time between two scans from the beginning.
 */
export function scanStarts<Position>(
  beginning: Position,
  fullEveryMs: number,
): (store: Store) => ScanStart<Position> {
  const starts = new WeakMap<Store, ScanStart<Position>>();
  return (store) => {
    const known = starts.get(store);
    if (known) return known;
    let position = beginning;
    let fullAt = -Infinity;
    const start: ScanStart<Position> = {
      next() {
        if (performance.now() - fullAt < fullEveryMs) return position;
        fullAt = performance.now();
        return beginning;
      },
      set(reached) {
        position = reached;
      },
    };
    starts.set(store, start);
    return start;
  };
}
