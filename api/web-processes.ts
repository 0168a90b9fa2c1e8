/**
 * Several web processes behind one port (`WEB_PROCESSES`). The first takes in the connections and hands them out
 * in turn (node:cluster); the others are web processes like those on other machines, and share nothing. One that
 * dies takes its own connections with it, and is started again; when the first dies, all end at once.
 */
import cluster from 'node:cluster';
import type { Running } from '../core/process/run-process.js';
import { AppError } from '../core/errors.js';
import { superviseChild, waitUntilReady } from '../core/process/supervise-child.js';
import type { Logger } from '../core/log.js';

/** Resolves once all are ready. @throws {AppError} `unavailable` when one is not; it has said why itself. */
export async function startWebProcesses(count: number, log: Logger): Promise<Running> {
  const all = Array.from({ length: count }, (_, n) =>
    superviseChild({
      spawn: fork,
      ready: waitUntilReady,
      print: (event) => log.info('web process', { number: n + 1, event }),
    }),
  );
  const stop = async () => {
    await Promise.all(all.map((child) => child.stop()));
  };
  const exits = await Promise.all(all.map(({ started }) => started));
  if (exits.some((exit) => exit !== null)) {
    await stop();
    throw new AppError('unavailable', 'a web process could not start: see its log');
  }
  return { stop };
}

function fork() {
  const child = cluster.fork();
  // Its process tells of the same; here it would be thrown where nobody listens.
  child.on('error', () => undefined);
  return child.process;
}
