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

const NOT_INSPECTED: WatchAnswer = { isInspected: false };

/**
 * Answers a supervisor, or the thread. A supervisor has asked before the process began, so that no
 * thread starts; other programs that start processes can have an IPC channel and ask nothing. The
 * thread starts at once, since a process that is started again can hang at once, and ends if a
 * supervisor asks later.
 * @returns to be called when the process is ready: from then on it can hang without a first answer
 */
export function answerWatch(log: Logger, data: WatchThreadData): () => void {
  let thread: Worker | undefined;
  let isReady = false;
  let isAsked = false;
  const startThread = () => {
    if (isAsked || inspectorUrl() !== undefined) return;
    thread = startWatchThread(log, data);
    if (isReady) thread.postMessage(NOT_INSPECTED);
  };
  if (process.send) {
    process.on('message', (message) => {
      if (message !== QUESTION) return;
      isAsked = true;
      void thread?.terminate();
      thread = undefined;
      inTimerPhase((alive) => {
        if (process.connected) process.send?.({ alive }, undefined, {}, () => undefined);
      });
    });
    setImmediate(startThread); // what has been asked is read before
  } else startThread();
  return () => {
    isReady = true;
    thread?.postMessage(NOT_INSPECTED);
  };
}

function startWatchThread(log: Logger, workerData: WatchThreadData): Worker {
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
  return thread;
}

/** Answers only when timers run, which a flood of other events could hold up. */
function inTimerPhase(send: (alive: WatchAnswer) => void): void {
  setTimeout(() => {
    send({ isInspected: inspectorUrl() !== undefined });
  }, 0);
}
