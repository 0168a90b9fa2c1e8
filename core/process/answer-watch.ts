/**
 * The side of the watched process. A supervisor asks over the IPC channel. Without one, a thread of
 * the process asks, and kills the process if it hangs. The thread takes 9 MiB.
 */
import { url as inspectorUrl } from 'node:inspector';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errorText } from '../errors.ts';
import type { Logger } from '../log.ts';
import { ROOT, programFile } from '../root.ts';
import { QUESTION, type WatchAnswer, type WatchTimes } from './watch.ts';

/** What the thread gets: how often it asks, and how the line of its log begins. */
export interface WatchThreadData {
  times: WatchTimes;
  prefix: string;
  fields: object;
}

/** A supervisor that watches has asked within so many of its ticks. */
const FIRST_QUESTION_TICKS = 3;

/**
 * Answers a supervisor, or the thread, which starts if no supervisor asks: other programs that
 * start processes can have an IPC channel, too.
 */
export function answerWatch(log: Logger, thread: WatchThreadData): void {
  const startThread = () => {
    if (inspectorUrl() === undefined) startWatchThread(log, thread);
  };
  if (!process.send) {
    startThread();
    return;
  }
  const nobodyAsks = setTimeout(startThread, thread.times.everyMs * FIRST_QUESTION_TICKS).unref();
  process.on('message', (message) => {
    if (message !== QUESTION) return;
    clearTimeout(nobodyAsks);
    inTimerPhase((alive) => {
      if (process.connected) process.send?.({ alive }, undefined, {}, () => undefined);
    });
  });
}

function startWatchThread(log: Logger, workerData: WatchThreadData): void {
  const thread = new Worker(join(ROOT, programFile('core/process/watch-thread')), {
    workerData,
    // Modules that NODE_OPTIONS loads are for the main thread.
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
  thread.on('message', () => {
    inTimerPhase((alive) => {
      thread.postMessage(alive);
    });
  });
  thread.on('error', (error) => {
    log.warn('the process is not watched any more', { fault: errorText(error) });
  });
}

/** Answers only when timers run, which a flood of other events could hold up. */
function inTimerPhase(send: (alive: WatchAnswer) => void): void {
  setTimeout(() => {
    send({ isInspected: inspectorUrl() !== undefined });
  }, 0);
}
