/**
 * Supervises one child process: starts it, kills it if it hangs (watch.ts), and restarts it with a
 * backoff after it exits. A child of `up` leads its own process group, so Ctrl-C in a terminal
 * reaches only the supervisor, which stops its children in order. A child of a web process belongs
 * to the group of that process and exits with it.
 */
import type { ChildProcess } from 'node:child_process';
import { type ExitStatus, waitForExit, killGroup } from './child-exit.ts';
import { errorText } from '../errors.ts';
import { QUESTION, WATCH_TIMES, type WatchAnswer, type WatchTimes, openWatch } from './watch.ts';

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5000;
/** A child that has run for this long is stable: its next restart uses the shortest backoff. */
const STABLE_AFTER_MS = 30_000;
const STOP_DEADLINE_MS = 30_000;

export interface SuperviseOptions {
  spawn: () => ChildProcess;
  /** Resolves once the child is ready. Can stay pending if the child exits instead. */
  ready: (child: ChildProcess) => Promise<void>;
  print: (line: string) => void;
  /** Drops the output of the child until it is ready. */
  quietStart?: boolean;
  /** How a child with an IPC channel is watched. */
  watchTimes?: WatchTimes;
}

export interface SupervisedChild {
  /** Resolves to null when the child is first ready, or to its exit status if it exits before. */
  started: Promise<ExitStatus | null>;
  /** Resolves when the child and its process group have exited. */
  stop: () => Promise<void>;
  kill: () => void;
}

export function superviseChild(spec: SuperviseOptions): SupervisedChild {
  let stopping = false;
  let backoff = FIRST_BACKOFF_MS;
  let run: ChildRun;
  let restartTimer: NodeJS.Timeout | undefined;

  const launch = async (): Promise<ExitStatus | null> => {
    const startedAt = performance.now();
    let isReady = false;
    run = startChild(spec, (line) => {
      if (isReady || !spec.quietStart) spec.print(line);
    });
    const { child, exited } = run;
    if (child?.pid !== undefined) spec.print(`started (pid ${child.pid})`);
    const watch = child?.channel && watchChild(child, spec);
    void exited.then(() => {
      watch?.stop();
      if (performance.now() - startedAt > STABLE_AFTER_MS) backoff = FIRST_BACKOFF_MS;
    });
    const ready = child ? [spec.ready(child).then(() => null)] : [];
    const early = await Promise.race([...ready, exited]);
    isReady = early === null;
    return early;
  };

  const restart = async (status: ExitStatus): Promise<void> => {
    if (stopping) return;
    spec.print(`exited (${status.reason}), restarting in ${backoff} ms`);
    await new Promise<void>((resolve) => (restartTimer = setTimeout(resolve, backoff)));
    backoff = Math.min(backoff * 2, MAX_BACKOFF_MS);
    const early = await launch();
    if (!early) spec.print('is back');
    void restart(early ?? (await run.exited));
  };

  const started = launch();
  void started.then(async (early) => {
    if (!early) void restart(await run.exited);
  });

  return {
    started,
    async stop() {
      stopping = true;
      clearTimeout(restartTimer);
      const { child, exited } = run;
      child?.kill('SIGTERM');
      const deadline = setTimeout(() => {
        spec.print('stop timed out, sending SIGKILL');
        if (child) killGroup(child);
      }, STOP_DEADLINE_MS);
      await exited;
      clearTimeout(deadline);
    },
    kill() {
      stopping = true;
      clearTimeout(restartTimer);
      if (run.child) killGroup(run.child);
    },
  };
}

function watchChild(child: ChildProcess, spec: SuperviseOptions): { stop: () => void } {
  const watch = openWatch(
    spec.watchTimes ?? WATCH_TIMES,
    () => {
      if (child.connected) child.send(QUESTION, () => undefined);
    },
    (seconds) => {
      spec.print(`has not answered for ${seconds} s, sending SIGKILL`);
      killGroup(child);
      child.kill('SIGKILL'); // a child of a web process leads no group
    },
  );
  child.on('message', (message) => {
    if (isAnswer(message)) watch.answered(message.alive);
    // It can hang before its first answer.
    else if (isReady(message)) watch.answered({ isInspected: false });
  });
  return watch;
}

function isReady(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'ready' in message;
}

function isAnswer(message: unknown): message is { alive: WatchAnswer } {
  return typeof message === 'object' && message !== null && 'alive' in message;
}

/** One run of the child; `child` is null if it could not be spawned. */
interface ChildRun {
  child: ChildProcess | null;
  exited: Promise<ExitStatus>;
}

function startChild({ spawn }: SuperviseOptions, onLine: (line: string) => void): ChildRun {
  try {
    const child = spawn();
    return { child, exited: waitForExit(child, onLine) };
  } catch (error) {
    return {
      child: null,
      exited: Promise.resolve({ code: null, reason: errorText(error), lastLines: [] }),
    };
  }
}

/** Resolves when the child has sent `{ready: ROLE}`. */
export function waitUntilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if (isReady(message)) resolve();
    });
  });
}
