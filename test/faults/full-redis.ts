/** Mail fills Redis while no worker runs. All of it must be stored once a worker runs again. */
import { setTimeout as delay } from 'node:timers/promises';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { MAIL } from '../support/process/smtp-front.ts';
import { type Bench, openBench } from './harness/bench.ts';
import type { FaultGroup, Situation } from './harness/fault.ts';

const MiB = 1024 * 1024;
/** What Mayfly leaves free of a small `maxmemory`. */
const RESERVE_BYTES = 16 * MiB;
const CONNECTIONS = 8;
/**
 * The room for mail of one recipient, and then of many, whose load is 1 MiB each and counts beside
 * that of the mail before.
 */
const FILLS = [
  { recipients: 1, roomBytes: 3 * MiB },
  { recipients: 1000, roomBytes: 24 * MiB },
];
/** The mailbox has no webhook, so the receiver is not part of the time. */
const MAILBOX = 'full-redis';
const STORED_WITHIN_MS = 300_000;
const MAX_LOG_BYTES = 1_000_000;

/** Large mail is in files, but counts as load of its workspace, which shares the room. */
export const fullRedisGroup: FaultGroup = {
  title: 'Redis is full while no worker runs',
  load: { largeEvery: 1_000_000 },
  openBench,
  faults: [
    { id: 'F5', title: 'mail fills Redis while no worker runs', inject: fillWhileNoWorkerRuns },
  ],
};

async function fillWhileNoWorkerRuns({ bench }: Situation): Promise<void> {
  const { redis } = bench;
  await bench.api.patiently({ method: 'POST', path: '/mailboxes', body: { name: MAILBOX } });
  const [, before = ''] = await redis.config('GET', 'maxmemory');
  const logged = workerLogBytes(bench);
  bench.product().kill('worker', 'SIGSTOP');
  try {
    let owed = 0;
    for (const { recipients, roomBytes } of FILLS) {
      const limit = (await usedBytes(bench)) + RESERVE_BYTES + roomBytes;
      await redis.config('SET', 'maxmemory', `${limit}`);
      const accepted = await untilFull(bench, recipients);
      if (accepted === 0) throw new Error(`no mail to ${recipients} recipients was accepted`);
      owed += accepted * recipients;
    }
    await delay(1000); // the worker starts at a full Redis
    bench.product().kill('worker', 'SIGCONT');
    await eventually(
      `${owed} messages to be stored`,
      async () => (await storedMessages(bench)) >= owed,
      STORED_WITHIN_MS,
      500,
    );
    const stored = await storedMessages(bench);
    if (stored !== owed) throw new Error(`${stored} messages are stored instead of ${owed}`);
  } finally {
    bench.product().kill('worker', 'SIGCONT');
    await redis.config('SET', 'maxmemory', before);
  }
  const bytes = workerLogBytes(bench) - logged;
  if (bytes > MAX_LOG_BYTES) throw new Error(`the worker logged ${bytes} bytes`);
  await bench.api.patiently({ method: 'DELETE', path: `/mailboxes/${MAILBOX}` });
}

/** Sends until each connection was answered with 452; returns the number of accepted mails. */
async function untilFull(bench: Bench, recipients: number): Promise<number> {
  const { domain } = bench.product();
  const to = Array.from({ length: recipients }, (_, n) => `${MAILBOX}+${n}@${domain}`);
  const sendAll = async () => {
    const client = await SmtpClient.open(bench.smtpPort());
    for (let accepted = 0; ; accepted += 1) {
      const { code, text } = await client.send({
        from: 's@elsewhere.example',
        to,
        data: Buffer.from(MAIL),
      });
      if (code === 250) continue;
      client.drop();
      if (code === 452) return accepted;
      throw new Error(`mail to ${recipients} recipients was answered with ${code} ${text}`);
    }
  };
  const counts = await Promise.all(Array.from({ length: CONNECTIONS }, sendAll));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function usedBytes({ redis }: Bench): Promise<number> {
  const info = await redis.info('memory');
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
}

async function storedMessages({ api }: Bench): Promise<number> {
  const { body } = await api.patiently({ path: `/mailboxes/${MAILBOX}/messages?limit=1` });
  return (JSON.parse(body.toString()) as { total: number }).total;
}

/** `up` prefixes each line with the name of the process. */
function workerLogBytes(bench: Bench): number {
  const lines = bench.product().output().split('\n');
  return lines.filter((line) => line.startsWith('worker')).join('\n').length;
}
