import type { DuePosition } from '../../db/statements/deliveries.js';

/** The position at which the next sweep of this process starts. */
export interface SweepCursor {
  after: DuePosition;
}

export const BEGINNING: DuePosition = { nextAttemptAt: new Date(0), id: '' };

export function openSweepCursor(): SweepCursor {
  return { after: BEGINNING };
}
