/** The number of waiting requests of each workspace in this process, and its limit. */
import type { Gauge } from 'prom-client';
import { AppError } from '../errors.ts';

export interface OpenWaits {
  /**
   * Counts a request until the returned function is called.
   * @throws {AppError} `wait_limit` if the workspace has as many as the limit.
   */
  enter: (workspaceId: string) => () => void;
}

/**
 * @param limit per workspace; 0 for no limit
 * @param open shows the number of all workspaces
 */
export function countOpenWaits(limit: number, open: Pick<Gauge, 'inc' | 'dec'>): OpenWaits {
  const counts = new Map<string, number>();
  return {
    enter(workspaceId) {
      const count = counts.get(workspaceId) ?? 0;
      if (limit > 0 && count >= limit) {
        throw new AppError(
          'wait_limit',
          `Limit of waiting requests reached (${limit} per workspace and web process). Retry in 1 s.`,
        );
      }
      counts.set(workspaceId, count + 1);
      open.inc();
      return () => {
        open.dec();
        const left = (counts.get(workspaceId) ?? 1) - 1;
        if (left > 0) counts.set(workspaceId, left);
        else counts.delete(workspaceId);
      };
    },
  };
}
