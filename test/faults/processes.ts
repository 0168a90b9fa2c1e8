/** F3: crashes of the web process, and of all processes at once. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, type ProcessName, openBench } from './harness/bench.ts';
import type { Fault, FaultGroup } from './harness/fault.ts';

const ALL: ProcessName[] = ['redis', 'worker', 'smtp', 'web'];

/** Sends SIGKILL to all of these at once; resolves when each has restarted. */
async function killAtOnce(bench: Bench, names: ProcessName[]): Promise<void> {
  await Promise.all(names.map((name) => bench.kill(name)));
}

const faults: Fault[] = [
  {
    id: 'F3',
    title: 'the web process is killed before it commits a mail it sends',
    slow: true,
    inject: ({ bench }) => bench.die('web', 'before commit'),
  },
  {
    id: 'F3',
    title: 'the web process is killed after the commit, before its answer',
    smoke: true,
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
  faults,
};
