/**
 * A semaphore whose permits are shared by owners. An owner may acquire one more while it holds fewer than are free, so a
 * single owner never holds all of them, and the more owners there are, the fewer each may hold: the "dynamic
 * thresholds" of A. Choudhury and E. Hahne (IEEE/ACM Transactions on Networking 6/2, 1998).
 */
export interface FairSemaphore {
  /** Acquires a permit, if the owner may. */
  acquire: (owner: string) => boolean;
  release: (owner: string) => void;
  heldBy: (owner: string) => number;
}

export function openFairSemaphore(permits: number): FairSemaphore {
  const held = new Map<string, number>();
  let free = permits;
  const heldBy = (owner: string) => held.get(owner) ?? 0;
  return {
    heldBy,
    acquire(owner) {
      const own = heldBy(owner);
      if (free === 0 || (own > 0 && own >= free)) return false;
      held.set(owner, own + 1);
      free -= 1;
      return true;
    },
    release(owner) {
      const own = heldBy(owner) - 1;
      if (own > 0) held.set(owner, own);
      else held.delete(owner);
      free += 1;
    },
  };
}
