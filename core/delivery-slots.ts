/**
 * Who may call a receiver now, so that dead and slow ones never take the place of the others: a webhook has
 * a few slots (delivery-lane.ts), and all webhooks share the calls of the process (delivery-shares.ts). One
 * that finds none waits a moment where that promises one, and otherwise is told when its turn is likely to
 * be: its job is put back until then and takes no place meanwhile.
 */
import {
  type Lane,
  type Leave,
  type Owner,
  gapMs,
  hasSlot,
  learn,
  newLane,
} from './delivery-lane.js';
import { shareOf } from './delivery-shares.js';
import { type Line, openParkLines } from './park-line.js';

const WAIT_MS = 50;
/** So many webhooks are remembered; beyond that those forgotten which nobody has asked for longest. */
const MAX_LANES = 10_000;

export type Entry = { kind: 'slot'; leave: Leave } | { kind: 'park'; forMs: number };

export interface DeliverySlots {
  enter: (owner: Owner) => Promise<Entry>;
}

/**
 * @param capacity how many calls the process may have under way.
 * @param now a clock in milliseconds that never goes back.
 */
export function openDeliverySlots(capacity: number, now = () => performance.now()): DeliverySlots {
  /** In the order in which they were last asked for. */
  const lanes = new Map<string, Lane>();
  const busy = new Set<Lane>();
  const workspaceLines = new Map<string, Line>();
  const { park } = openParkLines(now);

  const laneOf = (owner: Owner): Lane => {
    const lane = lanes.get(owner.webhookId) ?? newLane(owner);
    lanes.delete(owner.webhookId);
    lanes.set(owner.webhookId, lane);
    if (lanes.size > MAX_LANES) forgetOneIdle(lanes);
    return lane;
  };

  const lineOf = (workspaceId: string): Line => {
    let line = workspaceLines.get(workspaceId);
    if (!line) {
      if (workspaceLines.size >= MAX_LANES) workspaceLines.clear();
      line = { endsAt: 0 };
      workspaceLines.set(workspaceId, line);
    }
    return line;
  };

  /** Takes a slot and a place for a call; null when there is no place. */
  const take = (lane: Lane): Leave | null => {
    const since = now();
    if (!shareOf(lane, busy, capacity, since).isFree) return null;
    const call = { since };
    lane.underWay.add(call);
    busy.add(lane);
    return (called) => {
      lane.underWay.delete(call);
      if (lane.underWay.size === 0) busy.delete(lane);
      if (called) learn(lane, called);
      handOn(lane);
    };
  };

  /**
   * The one who leaves takes a slot for the one who waits: were it only woken, others could come first, or
   * two of them see the same slot free.
   */
  const handOn = (lane: Lane) => {
    for (const hand of lane.waiting) {
      const leave = hasSlot(lane, now()) ? take(lane) : null;
      if (!leave) return;
      hand(leave);
    }
  };

  return {
    async enter(owner) {
      const lane = laneOf(owner);
      const at = now();
      if (!hasSlot(lane, at)) {
        const gap = gapMs(lane, at);
        const handed = (lane.waiting.size + 1) * gap <= WAIT_MS ? await waitFor(lane) : null;
        return handed ? slot(handed) : { kind: 'park', forMs: park(lane.line, gap) };
      }
      const leave = take(lane);
      if (leave) return slot(leave);
      const { gapMs: gap } = shareOf(lane, busy, capacity, at);
      return { kind: 'park', forMs: park(lineOf(owner.workspaceId), gap) };
    },
  };
}

function slot(leave: Leave): Entry {
  return { kind: 'slot', leave };
}

function waitFor(lane: Lane): Promise<Leave | null> {
  return new Promise((resolve) => {
    const settle = (leave: Leave | null) => {
      clearTimeout(timer);
      lane.waiting.delete(settle);
      resolve(leave);
    };
    const timer = setTimeout(settle, WAIT_MS, null);
    lane.waiting.add(settle);
  });
}

function forgetOneIdle(lanes: Map<string, Lane>): void {
  for (const [id, { underWay, waiting }] of lanes) {
    if (underWay.size > 0 || waiting.size > 0) continue;
    lanes.delete(id);
    return;
  }
}
