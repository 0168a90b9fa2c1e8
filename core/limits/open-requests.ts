/** The number of long requests of each workspace in this process, and its limit. */
import type { Gauge } from 'prom-client';
import type { AppError } from '../errors.ts';

export interface OpenRequests {
  /**
   * Counts a request until the returned function is called.
   * @throws {AppError} that of `refusal` if the workspace has as many as the limit.
   */
  enter: (workspaceId: string) => () => void;
}

/**
 * @param limit per workspace; 0 for no limit
 * @param open shows the number of all workspaces
 */
export function countOpenRequests(
  limit: number,
  open: Pick<Gauge, 'inc' | 'dec'>,
  refusal: () => AppError,
): OpenRequests {
  const counts = new Map<string, number>();
  return {
    enter(workspaceId) {
      const count = counts.get(workspaceId) ?? 0;
      if (limit > 0 && count >= limit) throw refusal();
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
