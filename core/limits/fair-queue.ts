/**
 * A queue that is fair to the owners of its items. The next item belongs to the owner with the
 * fewest running items and, among those, to the one that has used the least time (start-time fair
 * queueing: Goyal, Vin and Cheng, IEEE/ACM Transactions on Networking 5/5, 1997). The items of one
 * owner are served smallest first, except that every fourth is the oldest, so no item starves.
 */
const OLDEST_EVERY = 4;

export interface Queued<Item> {
  readonly owner: string;
  readonly size: number;
  readonly item: Item;
}

export interface FairQueue<Item> {
  add: (queued: Queued<Item>) => void;
  /** The next item, which stays in the queue. Items that are not eligible are skipped. */
  next: (isEligible: (item: Item) => boolean) => Queued<Item> | undefined;
  /** Removes an item from the queue and counts it as running. */
  start: (queued: Queued<Item>) => void;
  /** @param usedMs time for which the item ran. */
  end: (owner: string, usedMs: number) => void;
}

interface Owner<Item> {
  waiting: Queued<Item>[];
  underWay: number;
  usedMs: number;
  started: number;
}

export function openFairQueue<Item>(): FairQueue<Item> {
  /** Owners with queued or running items, in the order of arrival. */
  const owners = new Map<string, Owner<Item>>();

  /**
   * A new owner starts with the used time of the least served one, so that absence gives no
   * advantage.
   */
  const newOwner = (): Owner<Item> => {
    let least = Infinity;
    for (const { usedMs } of owners.values()) least = Math.min(least, usedMs);
    return { waiting: [], underWay: 0, usedMs: least === Infinity ? 0 : least, started: 0 };
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
      if (!owner || position < 0) throw new Error('the item is not in the queue');
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
