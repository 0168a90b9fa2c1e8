/** Limits concurrent work, fairly among workspaces: the one with the least work goes first. */
import { openWeightedSemaphore } from './weighted-semaphore.ts';

/**
 * Runs the work in the turn of the workspace. Work that has not begun when `signal` aborts, or that
 * is given an aborted one, is rejected with its reason.
 */
export type Turns = <Result>(
  workspaceId: string,
  work: () => Promise<Result>,
  signal: AbortSignal,
) => Promise<Result>;

export function openTurns(atOnce: number): Turns {
  const semaphore = openWeightedSemaphore(atOnce);
  /** Work that waits or runs, by workspace. */
  const pending = new Map<string, number>();
  return async (workspaceId, work, signal) => {
    const before = pending.get(workspaceId) ?? 0;
    pending.set(workspaceId, before + 1);
    try {
      return await semaphore.runExclusive(1, work, { priority: before, signal });
    } finally {
      const left = (pending.get(workspaceId) ?? 1) - 1;
      if (left === 0) pending.delete(workspaceId);
      else pending.set(workspaceId, left);
    }
  };
}
