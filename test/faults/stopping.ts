/** F10, F15 and F16: hang-ups, orderly stops, and no file descriptors left. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { type Socket, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { SmtpClient } from '../support/clients/smtp-client.js';
import { type Bench, type ProcessName, openBench } from './harness/bench.js';
import type { Fault, FaultGroup } from './harness/fault.js';
import { digest, smallMail } from './harness/load/mails.js';

const run = promisify(execFile);

/** Longer than the lock of an ingest job holds. */
const STALLED_MS = 12_000;
const IDLE_CLIENTS = 50;

const isStopped = (name: ProcessName): Fault => ({
  id: 'F15',
  title: `the ${name} process is told to stop (SIGTERM)`,
  inject: async ({ bench, ledger }) => {
    const before = ledger.refusals.get('connection lost');
    await bench.kill(name, 'SIGTERM');
    const after = ledger.refusals.get('connection lost');
    if (after !== before) throw new Error('an SMTP client was left without an answer');
  },
});

/** Leaves a process hardly any file descriptors beyond those it has open. */
async function withoutDescriptors(
  bench: Bench,
  name: ProcessName,
  port: number,
  during: () => Promise<unknown>,
): Promise<void> {
  const pid = bench.product().processes().get(name)!;
  const open = (await readdir(`/proc/${pid}/fd`)).length;
  const limit = (soft: number) => run('prlimit', ['--pid', `${pid}`, `--nofile=${soft}:`]);
  await limit(open + 2);
  const clients: Socket[] = Array.from({ length: IDLE_CLIENTS }, () => {
    const client = connect(port, '127.0.0.1');
    client.on('error', () => undefined);
    return client;
  });
  await during();
  for (const client of clients) client.destroy();
  await limit(4096);
}

const faults: Fault[] = [
  {
    id: 'F10',
    title: 'clients hang up after the final dot and do not wait for its answer',
    inject: async ({ bench, ledger, mailboxes }) => {
      for (let n = 0; n < 20; n += 1) {
        const [mailbox = ''] = mailboxes;
        const marker = ledger.nextMarker();
        const data = smallMail(marker);
        const targets = [{ mailbox, tag: null }];
        ledger.add({ marker, targets, digest: digest(data), outcome: 'unknown' });
        const client = await SmtpClient.open(bench.product().smtpPort);
        const to = [`${mailbox}@${bench.product().domain}`];
        const sending = client.send({ from: 'gone@elsewhere.example', to, data });
        await Promise.race([sending.catch(() => undefined), delay(n)]);
        client.drop();
        await sending.catch(() => undefined);
      }
    },
  },
  {
    id: 'F10',
    title: 'the worker stands still until its locks are over, and goes on with the same mail',
    slow: true,
    inject: async ({ bench, load }) => {
      bench.product().kill('worker', 'SIGSTOP');
      await load.accepted(10);
      await delay(STALLED_MS);
      bench.product().kill('worker', 'SIGCONT');
    },
  },
  isStopped('smtp'),
  { ...isStopped('worker'), slow: true },
  { ...isStopped('web'), slow: true },
  {
    id: 'F15',
    title: 'everything is told to stop (SIGTERM), and started again',
    inject: async ({ bench }) => {
      const { child, exited } = bench.product();
      child.kill('SIGTERM');
      const code = await exited;
      await bench.startAgain();
      if (code !== 0) throw new Error(`it ended with ${code}`);
    },
  },
  {
    id: 'F16',
    title: 'the SMTP process has no file descriptors left',
    inject: ({ bench, load }) =>
      withoutDescriptors(bench, 'smtp', bench.product().smtpPort, () => load.accepted(10)),
  },
  {
    id: 'F16',
    title: 'the web process has no file descriptors left',
    slow: true,
    inject: ({ bench, load }) =>
      withoutDescriptors(bench, 'web', bench.product().httpPort, () => load.accepted(10)),
  },
  {
    id: 'F16',
    title: 'the worker has no file descriptors left',
    inject: ({ bench, load }) =>
      withoutDescriptors(bench, 'worker', bench.product().httpPort, () => load.accepted(20)),
  },
];

export const stoppingGroup: FaultGroup = {
  title: 'clients hang up, processes are told to stop, descriptors run out',
  openBench: () => openBench({ env: { SMTP_MAX_CONNECTIONS_PER_IP: '0' } }),
  faults,
};
