/** F9 and F13: clock changes, and messages and mailboxes that end while they are used. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/mocha/eventually.ts';
import { type Bench, openBench } from './harness/bench.ts';
import type { Fault, FaultGroup } from './harness/fault.ts';
import { readAcross } from './harness/mailboxes.ts';
import { CLOCK_VARIABLE } from './preload/points.ts';

const HOUR_MS = 3_600_000;
const TTL_HOURS = 72;
/**
 * The clock starts this far behind the real time, which it reaches last. The blob store keeps the
 * real time, and a clock far ahead of it would make every blob old enough for the sweep of orphans.
 */
const BEHIND_HOURS = TTL_HOURS + 26;
/** Longer than the interval at which a process reads its clock file. */
const SEEN_MS = 200;
const DELETED_WITHIN_MS = 60_000;

const clockOf = (dataDir: string) => join(dataDir, 'clock');

const offsetAfter = (hours: number) => String((hours - BEHIND_HOURS) * HOUR_MS);

/** Sets the clock to a number of hours after its start. */
async function setClock({ dataDir }: Bench, hours: number): Promise<void> {
  const draft = `${clockOf(dataDir)}.draft`;
  await writeFile(draft, offsetAfter(hours));
  await rename(draft, clockOf(dataDir)); // a rename, so that no process reads half of it
  await delay(SEEN_MS);
}

const faults: Fault[] = [
  {
    id: 'F13',
    title: 'messages expire while they are read',
    inject: async ({ bench, load, ledger, mailboxes }) => {
      await readAcross(bench.api, mailboxes, async () => {
        ledger.expire();
        await setClock(bench, TTL_HOURS + 1);
        await load.accepted(5);
      });
    },
  },
  {
    id: 'F13',
    title: 'a mailbox is deleted while mail for it is queued',
    inject: async ({ bench, load, ledger, mailboxes }) => {
      const doomed = mailboxes[0]!;
      // The deletion is refused if the worker is suspended in a write to SQLite.
      await eventually(
        'a deletion while the worker is suspended',
        async () => {
          bench.product().kill('worker', 'SIGSTOP');
          await load.accepted(10);
          ledger.deletedMailboxes.add(doomed);
          await load.accepted(10); // no client is still sending a mail to it
          const { status } = await bench.api.once({
            method: 'DELETE',
            path: `/mailboxes/${doomed}`,
          });
          bench.product().kill('worker', 'SIGCONT');
          return status === 204;
        },
        DELETED_WITHIN_MS,
      );
    },
  },
  {
    id: 'F9',
    title: 'the clock is set back by an hour, then corrected',
    slow: true,
    inject: async ({ bench, load }) => {
      await setClock(bench, TTL_HOURS);
      await load.accepted(10);
      await setClock(bench, TTL_HOURS + 1);
    },
  },
  {
    id: 'F9',
    title: 'the clock jumps 25 hours ahead',
    inject: ({ bench }) => setClock(bench, BEHIND_HOURS),
  },
];

export const clockGroup: FaultGroup = {
  title: 'clock changes, expiry and deletion',
  openBench: () =>
    openBench({
      prepare: async (dataDir) => {
        await writeFile(clockOf(dataDir), offsetAfter(0));
        const env = {
          [CLOCK_VARIABLE]: clockOf(dataDir),
          MESSAGE_TTL_MS: String(TTL_HOURS * HOUR_MS),
        };
        return { env, undo: async () => undefined };
      },
    }),
  faults,
};
