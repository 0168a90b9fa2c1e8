/**
 * Whether mail can be accepted: as long as the waiting and the quarantined bytes are within
 * INGEST_MAX_QUEUED_BYTES, and Redis has more memory left than workers need. Without that reserve,
 * a full Redis could never be emptied, because it refuses the commands with which workers take and
 * finish jobs.
 */
import type { RoomReply } from './spool-scripts.ts';

const MiB = 1024 * 1024;
/** Of `maxmemory`; `maxPart` is for a Redis that has less than 32 MiB. */
const RESERVE = { part: 0.05, min: 16 * MiB, max: 64 * MiB, maxPart: 0.5 } as const;
/** A reading is this old at most. */
const KNOWN_MS = 250;

/** Thrown if mail cannot be accepted because too much of it waits. */
export class SpoolFullError extends Error {}

export interface SpoolRoom {
  /** Whether there is none. Calls at the same time share one reading. */
  isFull: () => Promise<boolean>;
  /**
   * Whether replies of Redis within the last 250 ms, and what was written since, have shown that
   * there is some.
   */
  isKnown: () => boolean;
  /** Notes bytes that are being written to Redis. */
  took: (bytes: number) => void;
  /** Notes a reply with both byte counts; returns whether one is above the limit. */
  note: (counts: (string | null)[]) => boolean;
}

export function openSpoolRoom(read: () => Promise<RoomReply>, maxQueuedBytes: number): SpoolRoom {
  let countsReadAt = -Infinity;
  let memoryReadAt = -Infinity;
  /** Bytes that mail may still take of the memory of Redis. */
  let memoryLeft = 0;
  let reading: Promise<boolean> | null = null;

  const note = (counts: (string | null)[]) => {
    const isAbove = counts.some((bytes) => Number(bytes) > maxQueuedBytes);
    countsReadAt = isAbove ? -Infinity : performance.now();
    return isAbove;
  };
  const readNow = async () => {
    const [waiting, quarantined, used, limit] = await read();
    const allowed = Number(limit) - reserveOf(Number(limit));
    memoryLeft = limit === '0' ? Infinity : allowed - Number(used);
    memoryReadAt = performance.now();
    return note([waiting, quarantined]) || memoryLeft <= 0;
  };

  return {
    isFull() {
      reading ??= readNow().finally(() => {
        reading = null;
      });
      return reading;
    },
    isKnown: () =>
      memoryLeft > 0 && performance.now() - Math.min(countsReadAt, memoryReadAt) < KNOWN_MS,
    took(bytes) {
      memoryLeft -= bytes;
    },
    note,
  };
}

function reserveOf(limit: number): number {
  const { part, min, max, maxPart } = RESERVE;
  return Math.min(Math.max(limit * part, min), max, limit * maxPart);
}
