/**
 * How many calls one webhook may have under way in this process, so that a dead or slow receiver never
 * takes the place of the others. A webhook whose last call failed gets fewer. A call that finds no slot
 * waits a moment where that promises one, and otherwise is told when its turn is likely to be: its job is
 * put back until then and costs nothing meanwhile.
 */
const SLOTS = 10;
const SLOTS_WHILE_FAILING = 2;
const WAIT_MS = 50;
const MIN_PARK_MS = 250;
const MAX_PARK_MS = 30_000;
/** What a call is taken to last before one has been seen. */
const FIRST_GUESS_MS = 50;
/** How much the newest call says about the next ones. */
const NEWEST_WEIGHT = 0.2;
/** More idle lanes than this are not remembered. */
const MAX_LANES = 10_000;

/** How a call went. */
export interface Called {
  failed: boolean;
  durationMs: number;
}

export type Entry =
  /** To be given back; with null when no call was made. */
  { kind: 'slot'; leave: (called: Called | null) => void } | { kind: 'park'; forMs: number };

export interface DeliverySlots {
  enter: (webhookId: string) => Promise<Entry>;
}

interface Lane {
  inFlight: number;
  /** Each is called with a slot taken for it, in the order of their coming. */
  waiting: Set<() => void>;
  isFailing: boolean;
  meanMs: number;
  /** When the last of those put back has its turn. */
  lineEndsAt: number;
}

/** @param now a clock in milliseconds that never goes back. */
export function openDeliverySlots(now = () => performance.now()): DeliverySlots {
  const lanes = new Map<string, Lane>();

  const laneOf = (webhookId: string) => {
    let lane = lanes.get(webhookId);
    if (!lane) {
      if (lanes.size >= MAX_LANES) forgetIdle(lanes);
      const fresh = { inFlight: 0, isFailing: false, meanMs: FIRST_GUESS_MS, lineEndsAt: 0 };
      lane = { ...fresh, waiting: new Set<() => void>() };
      lanes.set(webhookId, lane);
    }
    return lane;
  };

  return {
    async enter(webhookId) {
      const lane = laneOf(webhookId);
      const hasSlot = take(lane) || (await handed(lane));
      return hasSlot ? slotOf(lane) : { kind: 'park', forMs: park(lane, now()) };
    },
  };
}

function take(lane: Lane): boolean {
  const isFree = lane.inFlight < slotsOf(lane);
  if (isFree) lane.inFlight += 1;
  return isFree;
}

function slotOf(lane: Lane): Entry {
  return {
    kind: 'slot',
    leave: (called) => {
      lane.inFlight -= 1;
      if (called) {
        lane.isFailing = called.failed;
        lane.meanMs += (called.durationMs - lane.meanMs) * NEWEST_WEIGHT;
      }
      for (const hand of lane.waiting) {
        if (!take(lane)) break;
        hand();
      }
    },
  };
}

/**
 * Waits for a slot where one is likely to come free in time. The one who leaves takes it for the one who
 * waits: were it only woken, others could come first, or two of them see the same slot free.
 */
async function handed(lane: Lane): Promise<boolean> {
  if ((lane.waiting.size + 1) * gapMs(lane) > WAIT_MS) return false;
  return new Promise((resolve) => {
    const settle = (hasSlot: boolean) => {
      clearTimeout(timer);
      lane.waiting.delete(hand);
      resolve(hasSlot);
    };
    const hand = () => {
      settle(true);
    };
    const timer = setTimeout(settle, WAIT_MS, false);
    lane.waiting.add(hand);
  });
}

/** How long until a place behind all those put back before. */
function park(lane: Lane, now: number): number {
  lane.lineEndsAt = Math.min(Math.max(lane.lineEndsAt, now) + gapMs(lane), now + MAX_PARK_MS);
  return Math.round(Math.max(lane.lineEndsAt - now, MIN_PARK_MS));
}

/** How often a slot comes free. */
function gapMs(lane: Lane): number {
  return lane.meanMs / slotsOf(lane);
}

function slotsOf(lane: Lane): number {
  return lane.isFailing ? SLOTS_WHILE_FAILING : SLOTS;
}

function forgetIdle(lanes: Map<string, Lane>): void {
  for (const [id, { inFlight, waiting }] of lanes) {
    if (inFlight === 0 && waiting.size === 0) lanes.delete(id);
  }
}
