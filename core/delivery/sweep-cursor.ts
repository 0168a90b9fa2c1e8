import type { DuePosition } from '../../db/statements/deliveries.js';

/** Where a process's next sweep of the deliveries begins. */
export interface SweepCursor {
  after: DuePosition;
}

export const BEGINNING: DuePosition = { nextAttemptAt: new Date(0), id: '' };

export function openSweepCursor(): SweepCursor {
  return { after: BEGINNING };
}
