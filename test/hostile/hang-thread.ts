/**
 * A thread that ends its process once the main thread has used this much CPU time in one pair: a
 * pattern that hangs can be ended in no other way. The name of the pair is written first.
 */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

export interface HangWatch {
  /** The number of the present pair, in one element. */
  readonly pair: Int32Array;
  /** Names of the pairs. */
  readonly names: string[];
  /** CPU seconds of the process for one pair. */
  readonly limit: number;
}

const { pair, names, limit } = workerData as HangWatch;
let seen = -1;
let began = 0;
setInterval(() => {
  const now = Atomics.load(pair, 0);
  const { user, system } = process.cpuUsage();
  const seconds = (user + system) / 1e6;
  if (now !== seen) {
    seen = now;
    began = seconds;
  } else if (seconds - began > limit) {
    writeSync(1, `${JSON.stringify({ hang: names[now] })}\n`);
    process.kill(process.pid, 'SIGKILL');
  }
}, 100);
