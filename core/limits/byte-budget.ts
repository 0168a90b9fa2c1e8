/**
 * A bound on the bytes that incoming data holds in memory. A holder may have at most as many bytes as are still free,
 * so a few large ones leave bytes for small ones, and each one's share shrinks with their number: the "dynamic
 * thresholds" of A. Choudhury and E. Hahne (IEEE/ACM Transactions on Networking 6/2, 1998).
 */
export interface ByteBudget {
  /** Whether a holder of `held` bytes may have `more`. */
  canReserve: (more: number, held?: number) => boolean;
  /** Reserves them, if the holder may have them. */
  reserve: (more: number, held?: number) => boolean;
  release: (bytes: number) => void;
}

/** @param limit bytes of all together; 0 for any number. */
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
