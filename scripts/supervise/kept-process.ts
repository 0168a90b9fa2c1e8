/**
 * One process kept running: it is started, watched, and started again when it dies. Each child leads
 * its own process group, so that a terminal's Ctrl-C reaches the supervisor only and the order of
 * stopping is the supervisor's to keep.
 */
import type { ChildProcess } from 'node:child_process';
import { type Ending, followToEnd, signalGroup } from './ending.js';

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5000;
/** A process that lived this long was well; its next death is a new story. */
const WELL_AFTER_MS = 30_000;
const STOP_DEADLINE_MS = 30_000;

export interface KeptSpec {
  spawn: () => ChildProcess;
  /** Resolves once the child does its work; may stay pending when the child ends instead. */
  ready: (child: ChildProcess) => Promise<void>;
  print: (line: string) => void;
  /** Holds back what the child writes before it is ready. */
  quietStart?: boolean;
}

export interface Kept {
  /** Resolves when the child is first ready, or with its ending when it never was. */
  started: Promise<Ending | null>;
  /** Resolves when the child is gone, and with it all that it started. */
  stop: () => Promise<void>;
  kill: () => void;
}

export function keepRunning(spec: KeptSpec): Kept {
  let stopping = false;
  let backoff = FIRST_BACKOFF_MS;
  let child: ChildProcess;
  let ended: Promise<Ending>;
  let restart: NodeJS.Timeout | undefined;

  const launch = async (): Promise<Ending | null> => {
    const bornAt = performance.now();
    let isReady = false;
    child = spec.spawn();
    if (child.pid !== undefined) spec.print(`started (pid ${child.pid})`);
    ended = followToEnd(child, (line) => {
      if (isReady || !spec.quietStart) spec.print(line);
    });
    void ended.then(() => {
      if (performance.now() - bornAt > WELL_AFTER_MS) backoff = FIRST_BACKOFF_MS;
    });
    const early = await Promise.race([spec.ready(child).then(() => null), ended]);
    isReady = early === null;
    return early;
  };

  const revive = async (ending: Ending): Promise<void> => {
    if (stopping) return;
    spec.print(`ended (${ending.how}), starting again in ${backoff} ms`);
    await new Promise<void>((resolve) => (restart = setTimeout(resolve, backoff)));
    backoff = Math.min(backoff * 2, MAX_BACKOFF_MS);
    const early = await launch();
    if (!early) spec.print('is back');
    void revive(early ?? (await ended));
  };

  const started = launch();
  void started.then(async (early) => {
    if (!early) void revive(await ended);
  });

  return {
    started,
    async stop() {
      stopping = true;
      clearTimeout(restart);
      child.kill('SIGTERM');
      const deadline = setTimeout(() => {
        spec.print('did not stop in time, killing it');
        signalGroup(child, 'SIGKILL');
      }, STOP_DEADLINE_MS);
      await ended;
      clearTimeout(deadline);
    },
    kill() {
      stopping = true;
      clearTimeout(restart);
      signalGroup(child, 'SIGKILL');
    },
  };
}
