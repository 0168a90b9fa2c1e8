/** What a process knows of one webhook's receiver, and how many calls it may have under way for that. */
import type { Line } from './park-line.js';

/** A receiver that takes longer is slow, whatever it answers in the end. */
const SLOW_MS = 2000;
/** The same of a first call: those after it wait for what comes of it. */
const SLOW_TRIAL_MS = 1000;
/** What a call is taken to last before one has been seen. */
const FIRST_GUESS_MS = 50;
/** How much the newest call says about the next ones. */
const NEWEST_WEIGHT = 0.2;

/** Whose webhook it is. */
export interface Owner {
  webhookId: string;
  mailboxId: string;
  workspaceId: string;
}

/** How a call went. */
export interface Called {
  failed: boolean;
  durationMs: number;
}

/** Gives a slot back; with null when no call was made. */
export type Leave = (called: Called | null) => void;

/** Those who wait for something to come free, in the order of their coming, and how to tell them. */
export type Waiting = Map<(leave: Leave | null) => void, Lane>;

/** What the calls so far tell of a receiver. */
export interface Known {
  hasAnswered: boolean;
  /** Since it has last answered. */
  failures: number;
  meanMs: number;
}

/** How many calls to one webhook may be under way. */
export interface Slots {
  proven: number;
  others: number;
}

/**
 * Whether a receiver is known to answer, and soon; or is slow or failing. On trial is one of which that is to
 * be seen: it was never called, or has just failed for once.
 */
export type Trust = 'proven' | 'trial' | 'troubled';

export interface Lane {
  readonly owner: Owner;
  readonly slots: Slots;
  readonly known: Known;
  /** The calls under way, the oldest first. */
  readonly underWay: Set<{ since: number }>;
  /** For a slot. */
  readonly waiting: Waiting;
  readonly line: Line;
}

/** @param known what there is to begin with. */
export function newLane(owner: Owner, slots: Slots, known?: Known): Lane {
  return {
    owner,
    slots,
    known: { hasAnswered: false, failures: 0, meanMs: FIRST_GUESS_MS, ...known },
    underWay: new Set(),
    waiting: new Map(),
    line: { endsAt: 0 },
  };
}

export function learn({ known }: Lane, { failed, durationMs }: Called): void {
  known.failures = failed ? known.failures + 1 : 0;
  known.hasAnswered ||= !failed;
  // How long it took to fail for once says nothing of how long answers take.
  if (isSlip(known)) return;
  known.meanMs += (durationMs - known.meanMs) * NEWEST_WEIGHT;
}

/** How long its calls last: a call that is still under way tells before its end. */
export function callMs(lane: Lane, now: number): number {
  return Math.max(lane.known.meanMs, oldestMs(lane, now));
}

export function trustIn(lane: Lane, now: number): Trust {
  const { known } = lane;
  if (known.meanMs > SLOW_MS) return 'troubled';
  if (known.hasAnswered && known.failures === 0) {
    return oldestMs(lane, now) > SLOW_MS ? 'troubled' : 'proven';
  }
  const isOpen = known.failures === 0 || isSlip(known);
  return isOpen && oldestMs(lane, now) <= SLOW_TRIAL_MS ? 'trial' : 'troubled';
}

export function hasSlot(lane: Lane, now: number): boolean {
  const { proven, others } = lane.slots;
  return lane.underWay.size < (trustIn(lane, now) === 'proven' ? proven : others);
}

/** How often a slot comes free; one on trial is taken to prove itself. */
export function gapMs(lane: Lane, now: number): number {
  const { proven, others } = lane.slots;
  return callMs(lane, now) / (trustIn(lane, now) === 'troubled' ? others : proven);
}

function oldestMs({ underWay }: Lane, now: number): number {
  const [oldest] = underWay;
  return oldest ? now - oldest.since : 0;
}

function isSlip({ hasAnswered, failures }: Known): boolean {
  return hasAnswered && failures === 1;
}
