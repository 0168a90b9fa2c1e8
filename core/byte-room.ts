/**
 * How much of a process's memory may be taken up by what is just coming in. Nobody has a fixed share: each
 * may hold at most as many bytes as are still free. A few large ones thus always leave room for small ones,
 * and the more there are, the smaller the share of each: the "dynamic thresholds" of A. Choudhury and E. Hahne
 * (IEEE/ACM Transactions on Networking 6/2, 1998), which share out the buffers of a switch.
 */
export interface ByteRoom {
  /** Whether one that holds `held` bytes may have `more`. */
  hasFor: (more: number, held?: number) => boolean;
  /** Takes them, if it may. */
  take: (more: number, held?: number) => boolean;
  giveBack: (bytes: number) => void;
}

/** @param limit bytes of all together; 0 for any number. */
export function openByteRoom(limit: number): ByteRoom {
  let taken = 0;
  const hasFor = (more: number, held = 0) => limit === 0 || held + more <= limit - taken - more;
  return {
    hasFor,
    take(more, held = 0) {
      if (!hasFor(more, held)) return false;
      taken += more;
      return true;
    },
    giveBack(bytes) {
      taken -= bytes;
    },
  };
}
