/** The words of the vocabulary near a candidate. */
import { type Block, keywordsOf } from '../block.ts';
import type { Hit, Meaning } from '../vocabulary.ts';

/** In characters, in the block of the candidate. */
const REACH = { before: 100, after: 40 };
/** In characters, at the near end of another block. */
const REACH_IN_NEIGHBOR = 300;
/** Blocks around the one with the candidate. */
const NEIGHBORS = 2;

export interface NearWord {
  hit: Hit;
  /** Characters between word and candidate; 0 if it is in another block. */
  distance: number;
  /** Blocks between: 0 for the same block. */
  blocks: number;
  /** Index of the block of the word. */
  at: number;
}

export class WordsNear {
  readonly #blocks: Block[];

  constructor(blocks: Block[]) {
    this.#blocks = blocks;
  }

  /** Nearest first. */
  before(at: number, start: number, meanings: readonly Meaning[]): NearWord[] {
    const block = this.#blocks[at];
    if (!block) return [];
    const same = between(block, start - REACH.before, start, meanings)
      .filter(({ end }) => end <= start)
      .map((hit) => ({ hit, distance: start - hit.end, blocks: 0, at }));
    const earlier = this.#around(at, -1, meanings);
    return [...same.sort((one, other) => one.distance - other.distance), ...earlier];
  }

  after(at: number, end: number, meanings: readonly Meaning[]): NearWord[] {
    const block = this.#blocks[at];
    if (!block) return [];
    const same = between(block, end, end + REACH.after, meanings).map((hit) => ({
      hit,
      distance: hit.start - end,
      blocks: 0,
      at,
    }));
    return [...same, ...this.#around(at, 1, meanings)];
  }

  /** Words of the nearest visible blocks in one direction, within the reach of their near end. */
  #around(at: number, direction: 1 | -1, meanings: readonly Meaning[]): NearWord[] {
    const found: NearWord[] = [];
    const { source } = this.#blocks[at] ?? {};
    let blocks = 0;
    for (let n = at + direction; blocks < NEIGHBORS; n += direction) {
      const block = this.#blocks[n];
      if (!block || block.source !== source || Math.abs(n - at) > 12) break;
      if (block.text === '' || block.hidden) continue;
      blocks++;
      const { length } = block.text;
      const hits =
        direction < 0
          ? between(block, length - REACH_IN_NEIGHBOR, length, meanings)
          : between(block, 0, REACH_IN_NEIGHBOR, meanings);
      for (const hit of hits) found.push({ hit, distance: 0, blocks, at: n });
    }
    return found;
  }
}

/**
 * The index of the first item that is not before a place, found by bisection; the number of items
 * if all are. Items before the place come first.
 */
export function firstNotBefore<Item>(
  items: readonly Item[],
  isBefore: (item: Item) => boolean,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && isBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The words of these meanings that start in this part of the block. */
function between(block: Block, from: number, to: number, meanings: readonly Meaning[]): Hit[] {
  const hits = keywordsOf(block);
  const found: Hit[] = [];
  for (let n = firstNotBefore(hits, ({ start }) => start < from); n < hits.length; n++) {
    const hit = hits[n];
    if (!hit || hit.start > to) break;
    if (meanings.includes(hit.meaning)) found.push(hit);
  }
  return found;
}
