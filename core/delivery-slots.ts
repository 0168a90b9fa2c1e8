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
  type Waiting,
  gapMs,
  hasSlot,
  learn,
  newLane,
} from './delivery-lane.js';
import { shareOf } from './delivery-shares.js';
import { type Line, openParkLines } from './park-line.js';

const WAIT_MS = 50;
/** A place that others of the workspace wait for, too, is not asked for more often. */
const SHARED_GAP_MS = 10;
/** So many webhooks are remembered; beyond that those forgotten which nobody has asked for longest. */
const MAX_LANES = 10_000;

/** Those who find nothing: the first of them wait, the others have a line. */
interface Crowd {
  line: Line;
  waiting: Waiting;
}

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
  const workspaces = new Map<string, Crowd>();
  const { park } = openParkLines(now);

  const laneOf = (owner: Owner): Lane => {
    const lane = lanes.get(owner.webhookId) ?? newLane(owner);
    lanes.delete(owner.webhookId);
    lanes.set(owner.webhookId, lane);
    if (lanes.size > MAX_LANES) forgetOneIdle(lanes);
    return lane;
  };

  const crowdOf = (workspaceId: string): Crowd => {
    let crowd = workspaces.get(workspaceId);
    if (!crowd) {
      crowd = { line: { endsAt: 0 }, waiting: new Map() };
      workspaces.set(workspaceId, crowd);
    }
    return crowd;
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
      handOn(lane.waiting);
      handOn(crowdOf(lane.owner.workspaceId).waiting);
    };
  };

  /**
   * The one who leaves takes a slot for the one who waits: were it only woken, others could come first, or
   * two of them see the same slot free.
   */
  const handOn = (waiting: Waiting) => {
    for (const [hand, lane] of waiting) {
      if (!hasSlot(lane, now())) continue;
      const leave = take(lane);
      if (!leave) return;
      hand(leave);
    }
  };

  /** Waits where that promises something in time; else joins the line. */
  const waitOrPark = async (lane: Lane, { line, waiting }: Crowd, gap: number): Promise<Entry> => {
    const leave = (waiting.size + 1) * gap <= WAIT_MS ? await waitIn(waiting, lane) : null;
    return leave ? { kind: 'slot', leave } : { kind: 'park', forMs: park(line, gap) };
  };

  return {
    async enter(owner) {
      const lane = laneOf(owner);
      const at = now();
      if (!hasSlot(lane, at)) return waitOrPark(lane, lane, gapMs(lane, at));
      const leave = take(lane);
      if (leave) return { kind: 'slot', leave };
      const share = shareOf(lane, busy, capacity, at);
      return waitOrPark(lane, crowdOf(owner.workspaceId), Math.max(share.gapMs, SHARED_GAP_MS));
    },
  };
}

function waitIn(waiting: Waiting, lane: Lane): Promise<Leave | null> {
  return new Promise((resolve) => {
    const settle = (leave: Leave | null) => {
      clearTimeout(timer);
      waiting.delete(settle);
      resolve(leave);
    };
    const timer = setTimeout(settle, WAIT_MS, null);
    waiting.set(settle, lane);
  });
}

function forgetOneIdle(lanes: Map<string, Lane>): void {
  for (const [id, { underWay, waiting }] of lanes) {
    if (underWay.size > 0 || waiting.size > 0) continue;
    lanes.delete(id);
    return;
  }
}
