/**
 * Several web processes behind one port (`WEB_PROCESSES`). The first takes in the connections and hands them out
 * in turn (node:cluster); the others are web processes like those on other machines, and share nothing. One that
 * dies takes its own connections with it, and is started again.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Running } from '../core/entry.js';
import { AppError } from '../core/errors.js';
import type { Logger } from '../core/log.js';

const AGAIN_AFTER_MS = 1000;

/** Resolves once all are ready. @throws {AppError} `unavailable` when one is not; it has said why itself. */
export async function startWebProcesses(count: number, log: Logger): Promise<Running> {
  const alive = new Set<Worker>();
  let stopping = false;

  const start = () => {
    const child = cluster.fork();
    alive.add(child);
    child.once('exit', (code) => {
      alive.delete(child);
      if (stopping) return;
      const how = child.process.signalCode ?? `exit code ${code}`;
      log.error('web process ended, starting another', { ended: child.process.pid, how });
      setTimeout(() => {
        if (!stopping) start();
      }, AGAIN_AFTER_MS);
    });
    return child;
  };

  const stop = async () => {
    stopping = true;
    await Promise.all(
      [...alive].map(async (child) => {
        const gone = once(child, 'exit');
        child.process.kill('SIGTERM');
        await gone;
      }),
    );
  };

  try {
    await Promise.all(Array.from({ length: count }, () => ready(start())));
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

/** What a web process tells whoever started it is that it is ready. */
async function ready(child: Worker): Promise<void> {
  const ended = once(child, 'exit').then(() => {
    throw new AppError('unavailable', 'a web process could not start');
  });
  await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => undefined);
}
