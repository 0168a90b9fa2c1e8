/** What a process knows of one webhook's receiver, and how many calls it may have under way for that. */
import type { Line } from './park-line.js';

const SLOTS = 10;
const SLOTS_UNPROVEN = 2;
/** A receiver that takes longer is slow, whatever it answers in the end. */
const SLOW_MS = 1000;
/** The same of a call that has not ended; a part of its time may be ours. */
const HANGING_MS = 2000;
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

export interface Lane {
  readonly owner: Owner;
  /** The calls under way, the oldest first. */
  readonly underWay: Set<{ since: number }>;
  /** For a slot. */
  readonly waiting: Waiting;
  readonly line: Line;
  /** How the last call went. */
  state: 'untried' | 'answering' | 'failing';
  meanMs: number;
}

export function newLane(owner: Owner): Lane {
  return {
    owner,
    underWay: new Set(),
    waiting: new Map(),
    line: { endsAt: 0 },
    state: 'untried',
    meanMs: FIRST_GUESS_MS,
  };
}

export function learn(lane: Lane, { failed, durationMs }: Called): void {
  lane.state = failed ? 'failing' : 'answering';
  lane.meanMs += (durationMs - lane.meanMs) * NEWEST_WEIGHT;
}

/** How long its calls last: a call that is still under way tells before its end. */
export function callMs(lane: Lane, now: number): number {
  const [oldest] = lane.underWay;
  return Math.max(lane.meanMs, oldest ? now - oldest.since : 0);
}

/** Whether its receiver is known to answer, and soon. */
export function isProven(lane: Lane, now: number): boolean {
  return lane.state === 'answering' && !isSlow(lane, now);
}

export function hasSlot(lane: Lane, now: number): boolean {
  return lane.underWay.size < (isProven(lane, now) ? SLOTS : SLOTS_UNPROVEN);
}

/** How often a slot comes free; one that nobody has tried yet is taken to prove itself. */
export function gapMs(lane: Lane, now: number): number {
  const isPromising = lane.state !== 'failing' && !isSlow(lane, now);
  return callMs(lane, now) / (isPromising ? SLOTS : SLOTS_UNPROVEN);
}

function isSlow(lane: Lane, now: number): boolean {
  return lane.meanMs > SLOW_MS || callMs(lane, now) > HANGING_MS;
}
