/** F2: crashes of the worker. */
import { openBench } from './harness/bench.ts';
import type { Fault, FaultGroup } from './harness/fault.ts';
import { sendTogether } from './harness/send-together.ts';
import type { Point } from './preload/points.ts';

const diesAt = (point: Point, when: string): Fault => ({
  id: 'F2',
  title: `the worker is killed ${when}`,
  inject: ({ bench }) => bench.die('worker', point),
});

const diesWithGroup = (point: Point, when: string): Fault => ({
  id: 'F2',
  title: `the worker is killed with mails that share a job, ${when}`,
  inject: (situation) => sendTogether(situation, () => situation.bench.die('worker', point)),
});

const faults: Fault[] = [
  { ...diesAt('bytes loaded', 'before it parses a mail'), slow: true },
  diesAt('blob written', 'when an attachment is stored, before the rows'),
  { ...diesAt('before commit', 'before the commit'), slow: true },
  { ...diesAt('after commit', 'after the commit, before deliveries are queued'), smoke: true },
  { ...diesAt('before ack', 'before it deletes the raw bytes'), slow: true },
  diesAt('after ack', 'before the job has ended'),
  diesWithGroup('group loaded', 'before it parses them'),
  diesWithGroup('group before commit', 'before their commit'),
  diesWithGroup('group before ack', 'after their commit'),
];

export const workerGroup: FaultGroup = {
  title: 'crashes of the worker',
  openBench,
  faults,
};
