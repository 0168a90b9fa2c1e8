/** What a process knows of one webhook's receiver, and how many calls it may have under way for that. */
import type { Line } from './park-line.js';

const SLOTS = 10;
const SLOTS_UNPROVEN = 2;
/** A receiver that takes longer is slow, whatever it answers in the end. */
const SLOW_MS = 1000;
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

export interface Lane {
  readonly owner: Owner;
  /** The calls under way, the oldest first. */
  readonly underWay: Set<{ since: number }>;
  /** Each is called once a slot is taken for it, in the order of their coming. */
  readonly waiting: Set<(leave: Leave) => void>;
  readonly line: Line;
  /** How the last call went. */
  state: 'untried' | 'answering' | 'failing';
  meanMs: number;
}

export function newLane(owner: Owner): Lane {
  return {
    owner,
    underWay: new Set(),
    waiting: new Set(),
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
  return lane.state === 'answering' && callMs(lane, now) <= SLOW_MS;
}

export function hasSlot(lane: Lane, now: number): boolean {
  return lane.underWay.size < (isProven(lane, now) ? SLOTS : SLOTS_UNPROVEN);
}

/** How often a slot comes free; one that nobody has tried yet is taken to prove itself. */
export function gapMs(lane: Lane, now: number): number {
  const ms = callMs(lane, now);
  const isPromising = lane.state === 'untried' && ms <= SLOW_MS;
  return ms / (isPromising || isProven(lane, now) ? SLOTS : SLOTS_UNPROVEN);
}
