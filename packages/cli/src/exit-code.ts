import { MayflyError, MayflyTimeout, MayflyUnexpectedMessage } from '@mayfly/client';
import { UsageError } from './usage-error.ts';

export const DONE = 0;
/** Nothing came in time, or, for `none`, something did. */
export const NOTHING_CAME = 1;
export const USAGE = 2;
/** The service refused: a status 4xx. */
export const REFUSED = 3;
/** The service cannot be reached, or failed: a status 5xx. */
export const UNAVAILABLE = 4;

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return USAGE;
  if (error instanceof MayflyTimeout || error instanceof MayflyUnexpectedMessage)
    return NOTHING_CAME;
  if (error instanceof MayflyError && error.status >= 400 && error.status < 500) return REFUSED;
  return UNAVAILABLE;
}
