/** The number of waiting requests of each workspace in this process, and its limit. */
import { AppError } from '../errors.js';

export interface OpenWaits {
  /**
   * Counts a request until the returned function is called.
   * @throws {AppError} `wait_limit` if the workspace has as many as the limit.
   */
  enter: (workspaceId: string) => () => void;
}

/** @param limit per workspace; 0 for no limit */
export function countOpenWaits(limit: number): OpenWaits {
  const counts = new Map<string, number>();
  return {
    enter(workspaceId) {
      const count = counts.get(workspaceId) ?? 0;
      if (limit > 0 && count >= limit) {
        throw new AppError(
          'wait_limit',
          `Limit of waiting requests reached (${limit} per workspace). Retry in 1 s.`,
        );
      }
      counts.set(workspaceId, count + 1);
      return () => {
        const left = (counts.get(workspaceId) ?? 1) - 1;
        if (left > 0) counts.set(workspaceId, left);
        else counts.delete(workspaceId);
      };
    },
  };
}
