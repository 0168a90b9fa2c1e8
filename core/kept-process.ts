/**
 * One process kept running: it is started, watched, and started again when it dies. The children of `up` lead
 * process groups of their own, so that a terminal's Ctrl-C reaches the supervisor only and the order of
 * stopping is the supervisor's to keep; those of a web process belong to its group, and end with it.
 */
import type { ChildProcess } from 'node:child_process';
import { type Ending, followToEnd, signalGroup } from './ending.js';
import { errorText } from './errors.js';

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
  let life: Life;
  let restart: NodeJS.Timeout | undefined;

  const launch = async (): Promise<Ending | null> => {
    const bornAt = performance.now();
    let isReady = false;
    life = begin(spec, (line) => {
      if (isReady || !spec.quietStart) spec.print(line);
    });
    const { child, ended } = life;
    if (child?.pid !== undefined) spec.print(`started (pid ${child.pid})`);
    void ended.then(() => {
      if (performance.now() - bornAt > WELL_AFTER_MS) backoff = FIRST_BACKOFF_MS;
    });
    const ready = child ? [spec.ready(child).then(() => null)] : [];
    const early = await Promise.race([...ready, ended]);
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
    void revive(early ?? (await life.ended));
  };

  const started = launch();
  void started.then(async (early) => {
    if (!early) void revive(await life.ended);
  });

  return {
    started,
    async stop() {
      stopping = true;
      clearTimeout(restart);
      const { child, ended } = life;
      child?.kill('SIGTERM');
      const deadline = setTimeout(() => {
        spec.print('did not stop in time, killing it');
        if (child) signalGroup(child, 'SIGKILL');
      }, STOP_DEADLINE_MS);
      await ended;
      clearTimeout(deadline);
    },
    kill() {
      stopping = true;
      clearTimeout(restart);
      if (life.child) signalGroup(life.child, 'SIGKILL');
    },
  };
}

/** A child from its start to its end; none where not even that could be started. */
interface Life {
  child: ChildProcess | null;
  ended: Promise<Ending>;
}

function begin({ spawn }: KeptSpec, onLine: (line: string) => void): Life {
  try {
    const child = spawn();
    return { child, ended: followToEnd(child, onLine) };
  } catch (error) {
    return {
      child: null,
      ended: Promise.resolve({ code: null, how: errorText(error), lines: [] }),
    };
  }
}

/** Resolves when the child has sent `{ready: ROLE}`. */
export function saysReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if (typeof message === 'object' && 'ready' in message) resolve();
    });
  });
}
