/**
 * Whether mail can be accepted: as long as the waiting and the quarantined bytes are within
 * INGEST_MAX_QUEUED_BYTES, the load of the workspace is within its share, and Redis has more memory
 * left than workers need. Without that reserve, a full Redis could never be emptied, because it
 * refuses the commands with which workers take and finish jobs.
 */
import { shareRuns } from '../share-runs.ts';
import type { RoomReply } from './spool-scripts.ts';

const MiB = 1024 * 1024;
/** Of `maxmemory`; `maxPart` is for a Redis that has less than 32 MiB. */
const RESERVE = { part: 0.05, min: 16 * MiB, max: 64 * MiB, maxPart: 0.5 } as const;
/** A reading is this old at most. */
const KNOWN_MS = 250;

/** Thrown if mail cannot be accepted because too much of it waits. */
export class SpoolFullError extends Error {}

export interface SpoolRoom {
  /**
   * Whether there is none, for all or for this workspace. The share of a workspace is what all
   * leave free of the limit and of the memory of Redis. So no workspace takes the room of others,
   * and the share of each shrinks with their number ("dynamic thresholds" of A. Choudhury and
   * E. Hahne, IEEE/ACM Transactions on Networking 6/2, 1998). Calls at the same time share one
   * reading.
   */
  isFull: (workspaceId?: string) => Promise<boolean>;
  /**
   * Whether replies of Redis within the last 250 ms, and what was written since, have shown that
   * there is some. The load of a workspace is the one that Redis has told last, however long ago,
   * since the reply to its next mail corrects it; 0 if this process has not written such mail.
   */
  isKnown: (workspaceId?: string) => boolean;
  /** Notes bytes that are being written to Redis. */
  recordUsage: (bytes: number) => void;
  /** Notes a reply with both byte counts; returns whether one is above the limit. */
  recordBytes: (counts: (number | string | null)[]) => boolean;
}

interface Readings {
  counts: () => Promise<RoomReply>;
  load: (workspaceId: string) => Promise<number>;
  /** The load that this process knows, whatever its age. */
  knownLoad: (workspaceId: string) => number;
}

export function openSpoolRoom(readings: Readings, maxQueuedBytes: number): SpoolRoom {
  let countsReadAt = -Infinity;
  let memoryReadAt = -Infinity;
  /** Bytes that mail may still take of the memory of Redis. */
  let memoryLeft = 0;
  /** Bytes that are left of the limit. */
  let bytesLeft = 0;
  /**
   * The load of small mail is about what it takes of the memory of Redis: 1.5 KB for 1.3 to 1.8 KB.
   * That of blobs and of mail for many recipients is more, so their workspace is refused earlier.
   */
  const exceedsShare = (load: number) => load > Math.min(bytesLeft, memoryLeft);

  const note = (counts: (number | string | null)[]) => {
    bytesLeft = maxQueuedBytes - Number(counts[0]);
    const isAbove = counts.some((bytes) => Number(bytes) > maxQueuedBytes);
    countsReadAt = isAbove ? -Infinity : performance.now();
    return isAbove;
  };
  const read = shareRuns(async () => {
    const [waiting, quarantined, used, limit] = await readings.counts();
    const allowed = Number(limit) - reserveOf(Number(limit));
    memoryLeft = limit === '0' ? Infinity : allowed - Number(used);
    memoryReadAt = performance.now();
    return note([waiting, quarantined]) || memoryLeft <= 0;
  });

  return {
    async isFull(workspaceId) {
      const load = workspaceId === undefined ? 0 : readings.load(workspaceId);
      const [isFull, taken] = await Promise.all([read(), load]);
      return isFull || exceedsShare(taken);
    },
    isKnown(workspaceId) {
      const since = performance.now() - KNOWN_MS;
      const load = workspaceId === undefined ? 0 : readings.knownLoad(workspaceId);
      const isRecent = Math.min(countsReadAt, memoryReadAt) > since;
      return memoryLeft > 0 && isRecent && !exceedsShare(load);
    },
    recordUsage(bytes) {
      memoryLeft -= bytes;
    },
    recordBytes: note,
  };
}

function reserveOf(limit: number): number {
  const { part, min, max, maxPart } = RESERVE;
  return Math.min(Math.max(limit * part, min), max, limit * maxPart);
}
