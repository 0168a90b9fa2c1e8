/** F1 to F3: crashes of the SMTP process, of the worker, of the web process, and of all at once. */
import { setTimeout as delay } from 'node:timers/promises';
import { SmtpClient } from '../support/clients/smtp-client.ts';
import { type Bench, type ProcessName, openBench } from './harness/bench.ts';
import type { Fault, FaultGroup } from './harness/fault.ts';
import { sendTogether } from './harness/send-together.ts';
import type { Point } from './preload/points.ts';

const smtpDiesAt = (point: Point, when: string): Fault => ({
  id: 'F1',
  title: `the SMTP process is killed ${when}`,
  inject: ({ bench }) => bench.die('smtp', point),
});

const smtpFaults: Fault[] = [
  {
    id: 'F1',
    title: 'the SMTP process is killed while a mail is being sent',
    inject: async ({ bench, mailboxes }) => {
      const client = await SmtpClient.open(bench.smtpPort());
      await client.envelope('half@elsewhere.example', `${mailboxes[0]}@${bench.product().domain}`);
      await client.command('DATA');
      client.write('Subject: half a mail\r\n\r\nhalf a line');
      await bench.kill('smtp');
    },
  },
  { ...smtpDiesAt('nothing kept', 'after the final dot, before anything is stored'), slow: true },
  {
    ...smtpDiesAt(
      'draft written',
      'when the bytes of a large mail are written, before the file is renamed',
    ),
    slow: true,
  },
  {
    ...smtpDiesAt('blob written', 'when the bytes of a large mail are stored, before its job'),
    slow: true,
  },
  smtpDiesAt('bytes kept', 'when the bytes are stored, before the job'),
  smtpDiesAt('job added', 'when the job is added, before the 250'),
];

export const smtpGroup: FaultGroup = {
  title: 'crashes of the SMTP process',
  openBench,
  faults: smtpFaults,
};

const workerDiesAt = (point: Point, when: string): Fault => ({
  id: 'F2',
  title: `the worker is killed ${when}`,
  inject: ({ bench }) => bench.die('worker', point),
});

const diesWithGroup = (point: Point, when: string): Fault => ({
  id: 'F2',
  title: `the worker is killed with mails that share a job, ${when}`,
  inject: (situation) => sendTogether(situation, () => situation.bench.die('worker', point)),
});

const workerFaults: Fault[] = [
  { ...workerDiesAt('bytes loaded', 'before it parses a mail'), slow: true },
  workerDiesAt('blob written', 'when an attachment is stored, before the rows'),
  { ...workerDiesAt('before commit', 'before the commit'), slow: true },
  workerDiesAt('after commit', 'after the commit, before deliveries are queued'),
  { ...workerDiesAt('before ack', 'before it deletes the raw bytes'), slow: true },
  workerDiesAt('after ack', 'before the job has ended'),
  diesWithGroup('group loaded', 'before it parses them'),
  diesWithGroup('group before commit', 'before their commit'),
  diesWithGroup('group before ack', 'after their commit'),
];

export const workerGroup: FaultGroup = {
  title: 'crashes of the worker',
  openBench,
  faults: workerFaults,
};

const ALL: ProcessName[] = ['redis', 'worker', 'smtp', 'web'];

/** Sends SIGKILL to all of these at once; resolves when each has restarted. */
async function killAtOnce(bench: Bench, names: ProcessName[]): Promise<void> {
  await Promise.all(names.map((name) => bench.kill(name)));
}

const processFaults: Fault[] = [
  {
    id: 'F3',
    title: 'the web process is killed before it commits a mail it sends',
    slow: true,
    inject: ({ bench }) => bench.die('web', 'before commit'),
  },
  {
    id: 'F3',
    title: 'the web process is killed after the commit, before its answer',
    inject: ({ bench }) => bench.die('web', 'after commit'),
  },
  {
    id: 'F3',
    title: 'all processes are killed at once',
    inject: ({ bench }) => killAtOnce(bench, ALL),
  },
  {
    id: 'F3',
    title: 'all processes are killed, and Redis is the last to restart',
    slow: true,
    inject: async ({ bench }) => {
      // The other processes restart while Redis hangs.
      bench.product().kill('redis', 'SIGSTOP');
      const back = killAtOnce(bench, ['worker', 'smtp', 'web']);
      await delay(2000);
      bench.product().kill('redis', 'SIGCONT');
      await back;
    },
  },
  {
    id: 'F3',
    title: 'the supervisor and all its children are killed, and started again',
    slow: true,
    inject: async ({ bench }) => {
      const { child, processes } = bench.product();
      for (const pid of [child.pid!, ...processes().values()]) process.kill(pid, 'SIGKILL');
      await bench.startAgain();
    },
  },
];

export const processGroup: FaultGroup = {
  title: 'crashes of the web process and of all processes',
  openBench,
  faults: processFaults,
};
