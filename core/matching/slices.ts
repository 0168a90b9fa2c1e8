/**
 * Shares the time in which a process reads messages. Work is cut into slices, which take turns by
 * workspace, so that the work of one delays that of another by a few slices.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openTurns } from '../limits/turns.ts';
import { NEVER } from '../mime/reading.ts';

/** A slice ends after so long, unless what it has loaded takes longer. */
export const SLICE_MS = 10;
/** Slices that run at the same time: those that read long parts of messages do not delay others. */
const AT_ONCE = { short: 4, long: 2 };

export type Lane = keyof typeof AT_ONCE;

/** Work of a workspace. */
export interface SlicedWork {
  workspaceId: string;
  lane: Lane;
  /** Aborted when nobody waits for it. */
  gone?: AbortSignal;
}

export interface Slices {
  /**
   * Runs slices until one returns false. The first begins in a later turn of the event loop, so
   * that requests which arrive together take part in it together.
   * @throws the reason of `gone` if it is aborted before a slice
   */
  run: (work: SlicedWork, slice: () => Promise<boolean>) => Promise<void>;
}

export function openSlices(): Slices {
  const turns = { short: openTurns(AT_ONCE.short), long: openTurns(AT_ONCE.long) };
  return {
    async run({ workspaceId, lane, gone = NEVER }, slice) {
      do await nextTurn();
      while (await turns[lane](workspaceId, slice, gone));
    },
  };
}
