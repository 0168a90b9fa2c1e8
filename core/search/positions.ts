/** Positions in the order of arrival. */
import type { Position } from '../../db/statements/messages.ts';
import { NEWEST, comparePositions } from '../messages/mark.ts';
import type { Candidate } from './load-documents.ts';

/** Part of a walk through messages, newest first. */
export interface Stretch {
  rows: Candidate[];
  /** All messages newer than this position have been read; null when none is left. */
  end: Position | null;
}

/** Newer than any message. */
export const BEFORE_ALL = NEWEST;

/** Before any message. */
export const EARLIEST = new Date(0);

/** The position before all messages of a time. */
export function startOf(receivedAt: Date): Position {
  return { receivedAt, id: `msg_${'0'.repeat(26)}` };
}

export function earlier(a: Position, b: Position): Position {
  return comparePositions(a, b) < 0 ? a : b;
}
