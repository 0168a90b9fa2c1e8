/**
 * Who may have how many of the calls that a process makes at once. What one may hold depends on what is
 * free, so the more there are that want places, the fewer each of them has, and some are always left for
 * one more (as switches share their buffers: Choudhury and Hahne, "Dynamic queue length thresholds", 1998).
 *
 * Receivers in trouble have one half of all places together. A workspace may hold half as many of these as
 * are free, and a mailbox twice as many as it leaves its workspace to take.
 * An eighth more is for receivers on trial, one call each: whatever the others hold, it is soon known what
 * a new one does. It counts as in trouble once it hangs; so of those on trial a workspace may hold a quarter
 * of what is free, while it has less than half of all places with both kinds, and a mailbox less than a quarter.
 * Of those known to answer soon a workspace may hold twice as many as are free: they come back in a moment.
 */
import { type Lane, type Trust, callMs, trustIn } from './delivery-lane.js';

const PROVEN_FACTOR = 2;
const TROUBLED_PART = 1 / 2;
const UNPROVEN_PART = 5 / 8;
const TRIAL_FACTOR = 4;
/** A workspace whose trials went badly leaves some places to those that had none. */
const KEPT_PART = 1 / 16;

export interface Share {
  /** Whether there is a place for one more call of the lane. */
  isFree: boolean;
  /** How often a place comes free where there is none. */
  gapMs: number;
}

/** As what one more call of the lane counts. */
export function nextCall(lane: Lane, now: number): Trust {
  const trust = trustIn(lane, now);
  return trust === 'trial' && lane.underWay.size > 0 ? 'troubled' : trust;
}

/** @param busy the lanes with calls under way. */
export function shareOf(lane: Lane, busy: Iterable<Lane>, capacity: number, now: number): Share {
  const { workspaceId, mailboxId } = lane.owner;
  const kind = nextCall(lane, now);
  const all = none();
  const workspace = none();
  const mailbox = none();
  let workspaceMs = 0;
  for (const other of busy) {
    const trust = trustIn(other, now);
    count(all, other, trust);
    if (other.owner.workspaceId !== workspaceId) continue;
    count(workspace, other, trust);
    if (trust === kind) workspaceMs += other.underWay.size * callMs(other, now);
    if (other.owner.mailboxId === mailboxId) count(mailbox, other, trust);
  }
  const gapMs = workspace[kind] > 0 ? workspaceMs / workspace[kind] ** 2 : 0;
  const unproven = all.trial + all.troubled;
  const free = capacity - all.proven - unproven;
  if (kind === 'proven') return { isFree: workspace.proven < PROVEN_FACTOR * free, gapMs };
  if (free <= 0) return { isFree: false, gapMs };
  const half = Math.ceil(capacity * TROUBLED_PART);
  if (kind === 'troubled') {
    const room = half - all.troubled - 2 * workspace.troubled;
    return { isFree: room > 0 && mailbox.troubled < room, gapMs };
  }
  const kept = Math.min(workspace.troubled, Math.ceil(capacity * KEPT_PART));
  const most = Math.ceil(capacity * UNPROVEN_PART) - kept;
  const room = most - unproven - TRIAL_FACTOR * workspace.trial;
  const isOpen =
    workspace.trial + workspace.troubled < half && mailbox.trial + mailbox.troubled < half / 2;
  return { isFree: isOpen && TRIAL_FACTOR * mailbox.trial < room, gapMs };
}

type Counts = Record<Trust, number>;

function none(): Counts {
  return { proven: 0, trial: 0, troubled: 0 };
}

function count(counts: Counts, { underWay: { size } }: Lane, trust: Trust): void {
  const trials = trust === 'trial' ? 1 : 0;
  counts.trial += trials;
  counts[trials > 0 ? 'troubled' : trust] += size - trials;
}
