import type { NearMiss } from '../types.ts';

const SHOWN = 5;

/** Collects the messages of several waits that failed the fewest criteria. */
export class NearMisses {
  #nearest: NearMiss[] = [];
  #count = 0;
  #isKnown = false;

  get nearest(): NearMiss[] {
    return this.#nearest;
  }

  /** Number of messages that failed, at least; null if nothing is known of them. */
  get count(): number | null {
    return this.#isKnown ? Math.max(this.#count, this.#nearest.length) : null;
  }

  /** @param count number of messages that failed and are not added again. */
  add(nearest: NearMiss[], count = 0): void {
    this.#isKnown = true;
    this.#count += count;
    const known = new Map([...this.#nearest, ...nearest].map((miss) => [miss.messageId, miss]));
    this.#nearest = [...known.values()]
      .sort((a, b) => a.failed.length - b.failed.length)
      .slice(0, SHOWN);
  }
}
