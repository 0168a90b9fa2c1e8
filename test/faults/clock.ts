/** F9 and F13: clock changes, and messages and mailboxes that end while they are used. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, openBench } from './harness/bench.js';
import type { Fault, FaultGroup } from './harness/fault.js';
import { readAcross } from './harness/read-across.js';
import { CLOCK_VARIABLE } from './preload/points.js';

const HOUR_MS = 3_600_000;
const TTL_HOURS = 72;
/** Longer than the interval at which a process reads its clock file. */
const SEEN_MS = 200;

const clockOf = (dataDir: string) => join(dataDir, 'clock');

/** Sets the clock ahead of the real time by a number of hours. */
async function setClock({ dataDir }: Bench, hours: number): Promise<void> {
  const draft = `${clockOf(dataDir)}.draft`;
  await writeFile(draft, String(hours * HOUR_MS));
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
      bench.product().kill('worker', 'SIGSTOP');
      await load.accepted(10);
      ledger.deletedMailboxes.add(doomed);
      await load.accepted(10); // no client is still sending a mail to it
      await bench.api.once({ method: 'DELETE', path: `/mailboxes/${doomed}` });
      bench.product().kill('worker', 'SIGCONT');
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
    inject: ({ bench }) => setClock(bench, TTL_HOURS + 26),
  },
];

export const clockGroup: FaultGroup = {
  title: 'clock changes, expiry and deletion',
  openBench: () =>
    openBench({
      prepare: async (dataDir) => {
        await writeFile(clockOf(dataDir), '0');
        const env = {
          [CLOCK_VARIABLE]: clockOf(dataDir),
          MESSAGE_TTL_MS: String(TTL_HOURS * HOUR_MS),
        };
        return { env, undo: async () => undefined };
      },
    }),
  faults,
};
