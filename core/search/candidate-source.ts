/** Positions in the order of arrival, and what reads messages in this order. */
import type { MessagePosition } from '../../db/statements/messages.ts';
import { NEWEST } from '../messages/cursor.ts';
import type { SearchCandidate } from './load-documents.ts';

/** Successive messages, newest first. */
export interface CandidateBatch {
  rows: SearchCandidate[];
  /** All messages newer than this position have been read; null when none is left. */
  end: MessagePosition | null;
}

/**
 * Reads the next messages before a position that can match a query. The first position is that of
 * the search, each other one the end of the stretch before.
 */
export type CandidateSource = (before: MessagePosition) => Promise<CandidateBatch>;

/** Newer than any message. */
export const BEFORE_ALL = NEWEST;

/** Before any message. */
export const EARLIEST = new Date(0);

/** The position before all messages of a time. */
export function startOf(receivedAt: Date): MessagePosition {
  return { receivedAt, id: `msg_${'0'.repeat(26)}` };
}

/** The order of arrival: negative if `a` is older. */
export function comparePositions(a: MessagePosition, b: MessagePosition): number {
  const ms = a.receivedAt.getTime() - b.receivedAt.getTime();
  return ms === 0 ? (a.id < b.id ? -1 : Number(a.id > b.id)) : ms;
}

export function earlier(a: MessagePosition, b: MessagePosition): MessagePosition {
  return comparePositions(a, b) < 0 ? a : b;
}
