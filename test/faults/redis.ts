/** F4 and F5: Redis crashes, hangs, loses its data, or is out of memory. */
import { appendFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ACCEPT_TIMEOUT_MS } from '../../haraka-plugin/hooks/data.ts';
import { openBench } from './harness/bench.ts';
import type { Fault, FaultGroup } from './harness/fault.ts';
import { mailIsPutOff } from './harness/smtp-load.ts';
import { untilIngested } from './harness/queue-state.ts';
import { sendTogether } from './harness/send-together.ts';

const HANG_MS = 3000;
/** Longer than a mail waits for Redis, of which RCPT does not ask for a kept recipient. */
const PAUSE_MS = ACCEPT_TIMEOUT_MS + 3000;

const faults: Fault[] = [
  {
    id: 'F4',
    title: 'Redis is killed',
    inject: ({ bench }) => bench.kill('redis'),
  },
  {
    id: 'F4',
    title: 'Redis is killed while it writes mails that share a job',
    inject: (situation) => sendTogether(situation, () => situation.bench.kill('redis')),
  },
  {
    id: 'F4',
    title: 'Redis hangs with its connections open',
    inject: async (situation) => {
      const { bench } = situation;
      bench.product().kill('redis', 'SIGSTOP');
      await mailIsPutOff(situation);
      await delay(HANG_MS);
      bench.product().kill('redis', 'SIGCONT');
    },
  },
  {
    id: 'F4',
    title: 'Redis delays every reply (CLIENT PAUSE)',
    slow: true,
    inject: async (situation) => {
      await situation.bench.redis.client('PAUSE', PAUSE_MS, 'ALL');
      await mailIsPutOff(situation);
    },
  },
  {
    id: 'F4',
    title: 'Redis is killed in the middle of a write to its log',
    inject: async ({ bench }) => {
      const up = bench.product().child;
      up.kill('SIGSTOP'); // keeps Redis down until its log is truncated
      const back = bench.kill('redis');
      const folder = join(bench.dataDir, 'redis', 'appendonlydir');
      const [log] = (await readdir(folder)).filter((name) => name.endsWith('.incr.aof'));
      await appendFile(join(folder, log!), '*3\r\n$3\r\nSET\r\n$9\r\nhalf a k');
      up.kill('SIGCONT');
      await back;
    },
  },
  {
    id: 'F4',
    title: 'Redis loses all data while it holds no accepted mail (FLUSHALL)',
    afterAnswers: true,
    inject: async ({ bench }) => {
      bench.product().kill('smtp', 'SIGSTOP');
      await untilIngested(bench);
      await bench.redis.flushall();
      bench.product().kill('smtp', 'SIGCONT');
    },
  },
  {
    id: 'F5',
    title: 'Redis is out of memory',
    inject: async (situation) => {
      const { redis } = situation.bench;
      const [, before = ''] = await redis.config('GET', 'maxmemory');
      await redis.config('SET', 'maxmemory', '1mb');
      for (let n = 0; n < 5; n += 1) await mailIsPutOff(situation);
      await redis.config('SET', 'maxmemory', before);
    },
  },
];

export const redisGroup: FaultGroup = {
  title: 'Redis crashes, hangs, loses data or is full',
  openBench,
  faults,
};
