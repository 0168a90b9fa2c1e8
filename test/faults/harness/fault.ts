import type { Bench } from './bench.ts';
import type { Finding } from './oracle.ts';
import type { Ledger } from './ledger.ts';
import type { Load, Shape } from './load.ts';

/** What a fault is injected into. */
export interface Situation {
  bench: Bench;
  load: Load;
  ledger: Ledger;
  /** Mailboxes of this fault, each with a webhook. They receive all load. */
  mailboxes: string[];
}

/** One fault. */
export interface Fault {
  /** Its number, such as `F1`. */
  id: string;
  title: string;
  /** Resolves when the cause is removed. The product must recover without help. */
  inject: (situation: Situation) => Promise<unknown>;
  /**
   * Waits for all responses to sends over the API, because the fault deletes their idempotency
   * keys.
   */
  afterAnswers?: boolean;
  /** What the product does not promise during this fault: more of these than none is right. */
  allowed?: Partial<Finding>;
  /** Only in `npm run faults`. */
  slow?: boolean;
}

/** Faults of one kind, and the product that they are injected into. */
export interface FaultGroup {
  title: string;
  openBench: () => Promise<Bench>;
  /** Differences from the usual load. */
  load?: Partial<Shape>;
  /** Why these faults cannot be injected on this machine, or null. */
  cannot?: () => Promise<string | null>;
  faults: Fault[];
}
