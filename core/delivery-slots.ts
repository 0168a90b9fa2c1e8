/**
 * Who may call a receiver now, so that dead and slow ones never take the place of the others: a webhook has
 * a few slots (delivery-lane.ts), and all webhooks share the calls of the process (delivery-shares.ts). One
 * that finds none waits a moment where that promises one, and otherwise is told when its turn is likely to
 * be: its job is put back until then and takes no place meanwhile.
 */
import { type Crowd, openDeliveryCrowds } from './delivery-crowds.js';
import {
  type Known,
  type Lane,
  type Leave,
  type Owner,
  type Slots,
  type Waiting,
  gapMs,
  hasSlot,
  learn,
  newLane,
  trustIn,
} from './delivery-lane.js';
import { nextCall, shareOf } from './delivery-shares.js';
import { openParkLines } from './park-line.js';

/** Of one webhook. */
export const WEBHOOK_SLOTS: Slots = { proven: 10, others: 2 };

const WAIT_MS = 50;
/** A place that others of the workspace wait for, too, is not asked for more often. */
const SHARED_GAP_MS = 10;
/** So many webhooks are remembered; beyond that those forgotten which nobody has asked for longest. */
const MAX_LANES = 10_000;

export type Entry = { kind: 'slot'; leave: Leave } | { kind: 'park'; forMs: number };

export interface DeliverySlots {
  enter: (owner: Owner) => Promise<Entry>;
  /** What is known of a webhook's receiver, where it is remembered. */
  known: (webhookId: string) => Known | undefined;
}

export interface DeliveryLimits {
  /** How many calls may be under way. */
  capacity: number;
  /** How many of them to one webhook. */
  slots: Slots;
}

/**
 * @param knownElsewhere what to take a receiver for that is not remembered here.
 * @param now a clock in milliseconds that never goes back.
 */
export function openDeliverySlots(
  { capacity, slots }: DeliveryLimits,
  knownElsewhere: DeliverySlots['known'] = () => undefined,
  now = () => performance.now(),
): DeliverySlots {
  /** In the order in which they were last asked for. */
  const lanes = new Map<string, Lane>();
  const busy = new Set<Lane>();
  const crowds = openDeliveryCrowds(now);
  const { park } = openParkLines(now);

  const laneOf = (owner: Owner): Lane => {
    const { webhookId } = owner;
    const lane = lanes.get(webhookId) ?? newLane(owner, slots, knownElsewhere(webhookId));
    lanes.delete(webhookId);
    lanes.set(webhookId, lane);
    if (lanes.size > MAX_LANES) forgetOneIdle(lanes);
    return lane;
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
      for (const waiting of crowds.waitingIn(lane.owner.workspaceId)) handOn(waiting);
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
      // What comes of its trial decides.
      if (trustIn(lane, at) === 'trial' && lane.underWay.size > 0) {
        return waitOrPark(lane, lane, gapMs(lane, at));
      }
      const share = shareOf(lane, busy, capacity, at);
      const crowd = crowds.join(owner.workspaceId, nextCall(lane, at));
      return waitOrPark(lane, crowd, Math.max(share.gapMs, SHARED_GAP_MS));
    },
    known: (webhookId) => lanes.get(webhookId)?.known,
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
