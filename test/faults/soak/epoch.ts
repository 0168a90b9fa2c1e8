import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from '../harness/bench.ts';
import { Ledger } from '../harness/ledger.ts';
import { type Shape, startLoad } from '../harness/load.ts';
import { clearMailboxes, openMailboxes } from '../harness/mailboxes.ts';
import { type Finding, faultsOf, judge } from '../harness/oracle.ts';

/** A job of a dead worker waits for its lock to expire, and then for the maximum backoff. */
const COMPLETE_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 5000;

/**
 * One period of the load with separate mailboxes. They are checked and cleared during later
 * periods.
 */
export interface Epoch {
  judge: () => Promise<Finding>;
}

/** Puts load on the product for a number of milliseconds. */
export async function runEpoch(
  bench: Bench,
  name: string,
  shape: Shape,
  ms: number,
): Promise<Epoch> {
  const mailboxes = ['a', 'b', 'c'].map((suffix) => `${name}-${suffix}`);
  await openMailboxes(bench, mailboxes);
  const ledger = new Ledger(name);
  const load = startLoad(bench, mailboxes, ledger, shape);
  await delay(ms);
  await load.stop();
  return {
    async judge() {
      await load.answered;
      const end = Date.now() + COMPLETE_WITHIN_MS;
      let finding = await judge(bench, ledger, mailboxes);
      while (faultsOf(finding).length > 0 && Date.now() < end) {
        await delay(LOOK_EVERY_MS);
        finding = await judge(bench, ledger, mailboxes);
      }
      await clearMailboxes(bench, mailboxes);
      return finding;
    },
  };
}
