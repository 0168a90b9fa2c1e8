/** The thread that asks the main thread of its process, and kills the process if it hangs. */
import { writeSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import type { WatchThreadData } from './answer-watch.ts';
import { QUESTION, type WatchAnswer, openWatch } from './watch.ts';

/** Until then SIGKILL has ended a process that it can end. */
const KILLED_WITHIN_MS = 1000;

const { times, prefix, fields } = workerData as WatchThreadData;
const watch = openWatch(
  times,
  () => parentPort?.postMessage(QUESTION),
  (seconds) => {
    logHang(seconds);
    process.kill(process.pid, 'SIGKILL');
    setTimeout(trap, KILLED_WITHIN_MS);
  },
);
parentPort?.on('message', (answer: WatchAnswer) => {
  watch.answered(answer);
});

/** The logger is in the main thread. */
function logHang(seconds: number): void {
  const timestamp = new Date().toISOString();
  const message = 'process hangs, killing it';
  const line = JSON.stringify({ level: 'error', message, ...fields, timestamp, seconds });
  try {
    writeSync(1, `${prefix}${line}\n`);
  } catch {
    // EAGAIN: nobody reads the log.
  }
}

/**
 * Ends the first process of a container, to which the kernel delivers no SIGKILL from within the
 * container (pid_namespaces(7)). A breakpoint trap of the processor is not a signal from a process.
 */
function trap(): void {
  setFlagsFromString('--allow-natives-syntax');
  runInThisContext('%SystemBreak()'); // parsed now, after the flag is set
}
