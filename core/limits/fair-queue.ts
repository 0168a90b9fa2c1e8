/**
 * A queue that is fair to the owners of its items. The next item belongs to the owner with the fewest items
 * under way and, among those, the one whose items have used the least time (start-time fair queueing: Goyal,
 * Vin and Cheng, IEEE/ACM Transactions on Networking 5/5, 1997). Among the items of one owner the smallest
 * comes first, except that every fourth is the one that has waited longest: no item waits for ever.
 */
const OLDEST_EVERY = 4;

export interface Queued<Item> {
  readonly owner: string;
  readonly size: number;
  readonly item: Item;
}

export interface FairQueue<Item> {
  add: (queued: Queued<Item>) => void;
  /** The next item, which stays in the queue; items that are not eligible are passed over. */
  next: (isEligible: (item: Item) => boolean) => Queued<Item> | undefined;
  /** Takes an item out of the queue and counts it as under way. */
  start: (queued: Queued<Item>) => void;
  /** @param usedMs how long an item of the owner was under way. */
  end: (owner: string, usedMs: number) => void;
}

interface Owner<Item> {
  waiting: Queued<Item>[];
  underWay: number;
  usedMs: number;
  started: number;
}

export function openFairQueue<Item>(): FairQueue<Item> {
  /** Those with items in the queue or under way, in the order of their coming. */
  const owners = new Map<string, Owner<Item>>();

  /** A new owner has used no less than another: having been away gives no claim. */
  const newOwner = (): Owner<Item> => {
    const used = [...owners.values()].map(({ usedMs }) => usedMs);
    return {
      waiting: [],
      underWay: 0,
      usedMs: used.length > 0 ? Math.min(...used) : 0,
      started: 0,
    };
  };

  return {
    add(queued) {
      const owner = owners.get(queued.owner) ?? newOwner();
      owners.set(queued.owner, owner);
      owner.waiting.push(queued);
    },
    next(isEligible) {
      let best: { owner: Owner<Item>; queued: Queued<Item> } | undefined;
      for (const owner of owners.values()) {
        if (best && !comesBefore(owner, best.owner)) continue;
        const queued = nextOf(owner, isEligible);
        if (queued) best = { owner, queued };
      }
      return best?.queued;
    },
    start(queued) {
      const owner = owners.get(queued.owner);
      const position = owner?.waiting.indexOf(queued) ?? -1;
      if (!owner || position < 0) throw new Error('only an item of the queue can be started');
      owner.waiting.splice(position, 1);
      owner.underWay += 1;
      owner.started += 1;
    },
    end(name, usedMs) {
      const owner = owners.get(name);
      if (!owner) return;
      owner.underWay -= 1;
      owner.usedMs += usedMs;
      if (owner.underWay === 0 && owner.waiting.length === 0) owners.delete(name);
    },
  };
}

function comesBefore<Item>(one: Owner<Item>, other: Owner<Item>): boolean {
  if (one.underWay !== other.underWay) return one.underWay < other.underWay;
  return one.usedMs < other.usedMs;
}

function nextOf<Item>(
  { waiting, started }: Owner<Item>,
  isEligible: (item: Item) => boolean,
): Queued<Item> | undefined {
  const eligible = waiting.filter(({ item }) => isEligible(item));
  const [oldest] = eligible;
  if (!oldest || started % OLDEST_EVERY === OLDEST_EVERY - 1) return oldest;
  return eligible.reduce((least, queued) => (queued.size < least.size ? queued : least));
}
