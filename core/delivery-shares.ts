/**
 * Who may have how many of the calls that a process makes at once. What one may hold depends on what is
 * free, so the more there are that want places, the fewer each of them has, and some are always left for
 * one more (as switches share their buffers: Choudhury and Hahne, "Dynamic queue length thresholds", 1998).
 *
 * Receivers that are failing, slow or not yet known have one half of all places together. A workspace may
 * hold half as many of these as are free, and a mailbox twice as many as it leaves its workspace to take.
 * Of those known to answer soon a workspace may hold twice as many as are free: they come back in a moment.
 */
import { type Lane, callMs, isProven } from './delivery-lane.js';

const PROVEN_FACTOR = 2;

export interface Share {
  /** Whether there is a place for one more call of the lane. */
  isFree: boolean;
  /** How often a place comes free where there is none. */
  gapMs: number;
}

/** @param busy the lanes with calls under way. */
export function shareOf(lane: Lane, busy: Iterable<Lane>, capacity: number, now: number): Share {
  const { workspaceId, mailboxId } = lane.owner;
  const proven = isProven(lane, now);
  const held = { all: 0, alike: 0, workspace: 0, mailbox: 0, workspaceMs: 0 };
  for (const other of busy) {
    const count = other.underWay.size;
    held.all += count;
    if (isProven(other, now) !== proven) continue;
    held.alike += count;
    if (other.owner.workspaceId !== workspaceId) continue;
    held.workspace += count;
    held.workspaceMs += count * callMs(other, now);
    if (other.owner.mailboxId === mailboxId) held.mailbox += count;
  }
  const gapMs = held.workspace > 0 ? held.workspaceMs / held.workspace ** 2 : 0;
  if (proven) {
    return { isFree: held.workspace < PROVEN_FACTOR * (capacity - held.all), gapMs };
  }
  const free = Math.ceil(capacity / 2) - held.alike;
  const room = free - 2 * held.workspace;
  return { isFree: room > 0 && held.mailbox < room, gapMs };
}
