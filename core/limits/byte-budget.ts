/**
 * Limits the memory for incoming data. A holder can have at most as many bytes as are free, so a
 * few large holders leave room for small ones, and the share of each shrinks with their number: the
 * "dynamic thresholds" of A. Choudhury and E. Hahne (IEEE/ACM Transactions on Networking 6/2,
 * 1998).
 */
export interface ByteBudget {
  /** Whether a holder of `held` bytes can reserve `more`. */
  canReserve: (more: number, held?: number) => boolean;
  /** Reserves `more` bytes if allowed, and returns whether it did. */
  reserve: (more: number, held?: number) => boolean;
  release: (bytes: number) => void;
}

/** Told how many bytes are about to be held, which it can refuse by throwing. */
export type Admit = (bytes: number) => void;

/** @param limit total bytes; 0 for no limit. */
export function openByteBudget(limit: number): ByteBudget {
  let taken = 0;
  const canReserve = (more: number, held = 0) => limit === 0 || held + more <= limit - taken - more;
  return {
    canReserve,
    reserve(more, held = 0) {
      if (!canReserve(more, held)) return false;
      taken += more;
      return true;
    },
    release(bytes) {
      taken -= bytes;
    },
  };
}
