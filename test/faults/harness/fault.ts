import type { Bench } from './bench.js';
import type { Ledger } from './ledger.js';
import type { Load, Shape } from './load/load.js';

/** What a fault finds when it comes. */
export interface Situation {
  bench: Bench;
  load: Load;
  ledger: Ledger;
  /** Mailboxes of this fault's own, each with a webhook; all load goes to them. */
  mailboxes: string[];
}

/** One thing that goes wrong. */
export interface Fault {
  /** Its number in the list of faults, such as `F1`. */
  id: string;
  title: string;
  /** Resolves when the cause is gone. The product must repair the consequences itself. */
  inject: (situation: Situation) => Promise<unknown>;
  /** Comes only once every send over the API is answered: it takes the idempotency keys away. */
  afterAnswers?: boolean;
  /** Only in `npm run faults`. */
  slow?: boolean;
  /** In the short form of the tests, too. It must be bearable to a product that `openBench()` opens. */
  smoke?: boolean;
}

/** Faults of one kind, and the product they come over. */
export interface FaultGroup {
  title: string;
  openBench: () => Promise<Bench>;
  /** Where the usual load would not meet the faults. */
  load?: Partial<Shape>;
  /** Why these faults cannot be brought about on this machine; null, when they can. */
  cannot?: () => Promise<string | null>;
  faults: Fault[];
}
