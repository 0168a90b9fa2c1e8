/** F10, F15 and F16: disconnects, orderly stops, and exhausted file descriptors. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { type Socket, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { type Bench, type ProcessName, openBench } from './harness/bench.ts';
import type { Fault, FaultGroup } from './harness/fault.ts';
import { digest, smallMail } from '../load/mails.ts';

const run = promisify(execFile);

/** Longer than the lock duration of an ingest job. */
const STALLED_MS = 12_000;
const IDLE_CLIENTS = 50;

const isStopped = (name: ProcessName): Fault => ({
  id: 'F15',
  title: `the ${name} process gets SIGTERM`,
  inject: async ({ bench, ledger }) => {
    const before = ledger.refusals.get('connection lost');
    await bench.kill(name, 'SIGTERM');
    const after = ledger.refusals.get('connection lost');
    if (after !== before) throw new Error('an SMTP client got no reply');
  },
});

/** Limits the file descriptors of a process to little more than its open ones. */
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
    title: 'clients disconnect after the final dot without waiting for the reply',
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
    title: 'the worker is suspended until its locks expire, and continues with the same mail',
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
    title: 'everything gets SIGTERM, and is started again',
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
  title: 'disconnects, orderly stops and exhausted file descriptors',
  openBench: () => openBench({ env: { SMTP_MAX_CONNECTIONS_PER_IP: '0' } }),
  faults,
};
