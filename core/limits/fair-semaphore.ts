/**
 * A semaphore whose permits are shared by owners. An owner can acquire a permit while it holds
 * fewer than are free, so no single owner holds all of them, and the share of each shrinks with the
 * number of owners: the "dynamic thresholds" of A. Choudhury and E. Hahne (IEEE/ACM Transactions on
 * Networking 6/2, 1998).
 */
export interface FairSemaphore {
  /** Acquires a permit if the owner is allowed to. */
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
