/**
 * A thread that ends its process once the main thread has used this much CPU time in one run of a
 * pair: a pattern that hangs can be ended in no other way. The name of the pair is written first.
 */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

export interface HangWatch {
  /** The number of the present pair, and the count of runs. */
  readonly present: Int32Array;
  /** Names of the pairs. */
  readonly names: string[];
  /** CPU seconds of the process for one run. */
  readonly limit: number;
}

const { present, names, limit } = workerData as HangWatch;
let seen = -1;
let began = 0;
setInterval(() => {
  const now = Atomics.load(present, 1);
  const { user, system } = process.cpuUsage();
  const seconds = (user + system) / 1e6;
  if (now !== seen) {
    seen = now;
    began = seconds;
  } else if (seconds - began > limit) {
    writeSync(1, `${JSON.stringify({ hang: names[Atomics.load(present, 0)] })}\n`);
    process.kill(process.pid, 'SIGKILL');
  }
}, 100);
