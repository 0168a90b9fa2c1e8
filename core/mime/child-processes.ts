/**
 * Child processes that run one call at a time. A call gets an idle child or a new one at once, so
 * the caller limits the number of concurrent calls. A child that exceeds its time is killed. Its
 * replacement is started before that, because a start takes about 0.5 s on a busy machine. An idle
 * child is removed from the list before it is ended, so no call goes to a child that is ending.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { AppError, errorText } from '../errors.ts';
import { Assembly, type Pieces, type Rest, sendPieces } from './pieces.ts';

/**
 * Messages of a child: `ready` once, then for each call `begun`, any number of phases and of pieces
 * of the result, and `result` or `error`.
 */
export type ChildMessage =
  | { ready: true }
  | { begun: true }
  | { phase: string }
  | Pieces
  | { result: Rest }
  | { error: string };

/** Messages to a child: any number of pieces of a call, and the call. */
export type CallMessage = Pieces | { call: Rest };

type Answer = { result: unknown } | { error: string };

/** The call exceeded its time limit and its child was killed. */
export class ChildTimeout extends Error {
  override name = 'ChildTimeout';
}

/** The child exited during the call. */
export class ChildDeath extends Error {
  override name = 'ChildDeath';
}

export interface CallOptions {
  withinMs: number;
  onPhase?: (phase: string) => void;
}

export interface ChildProcesses {
  /**
   * Runs the call in a child and resolves to its result. The time limit starts when the child has
   * the call, and again with each piece of the result.
   * @throws {ChildTimeout}
   * @throws {ChildDeath}
   * @throws {AppError} `unavailable` if no child can be started.
   * @throws {Error} with the message of the error in the child.
   */
  run: <Result>(call: object, options: CallOptions) => Promise<Result>;
  /** Kills all children and starts no more. */
  close: () => void;
}

export interface ChildSpec {
  /** Path of the module that a child runs. */
  script: string;
  heapMb: number;
  /** Milliseconds after which an idle child is ended. */
  idleMs: number;
  env: Record<string, string>;
}

const START_MS = 10_000;
/** Within which a child takes a call. */
const SEND_MS = 30_000;

/** Part of its time limit after which a call is likely to exceed it. */
const LIKELY_TO_EXCEED = 1 / 3;

export function openChildProcesses({ script, heapMb, idleMs, env }: ChildSpec): ChildProcesses {
  const alive = new Set<ChildProcess>();
  const idle = new Map<ChildProcess, NodeJS.Timeout>();
  /** A child that is being started for the next call. */
  let spare: Promise<ChildProcess> | undefined;
  let isClosed = false;

  /** The most recently used one, so that surplus children become idle. */
  const takeIdle = (): ChildProcess | undefined => {
    for (const [child, timer] of [...idle].reverse()) {
      clearTimeout(timer);
      idle.delete(child);
      if (child.connected) return child;
    }
    return undefined;
  };

  const release = (child: ChildProcess) => {
    const end = () => {
      idle.delete(child);
      child.kill('SIGKILL');
    };
    idle.set(child, setTimeout(end, idleMs).unref());
  };

  const startChild = async (): Promise<ChildProcess> => {
    const child = fork(script, {
      env,
      serialization: 'advanced', // transfers Buffers as Buffers
      execArgv: [`--max-old-space-size=${heapMb}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'], // V8's report of a heap overflow must not appear in the log
    });
    alive.add(child);
    child.once('exit', () => {
      alive.delete(child);
      clearTimeout(idle.get(child));
      idle.delete(child);
    });
    child.on('error', () => undefined); // every wait listens for the error as well
    try {
      await nextMessage(child, START_MS, (message) => 'ready' in message || undefined);
      return child;
    } catch (error) {
      child.kill('SIGKILL');
      alive.delete(child); // a child that failed to start emits no exit event
      throw error;
    }
  };

  const start = async (): Promise<ChildProcess> => {
    try {
      if (isClosed) throw new Error('closed');
      return await startChild();
    } catch (cause) {
      const text = 'The parser process could not be started. Retry in a few seconds.';
      throw new AppError('unavailable', text, { cause });
    }
  };

  const startSpare = () => {
    if (idle.size > 0 || spare) return;
    const starting = start();
    const settle = (child?: ChildProcess) => {
      if (spare !== starting) return; // a call has taken it
      spare = undefined;
      if (child) release(child);
    };
    spare = starting;
    starting.then(settle, () => {
      settle();
    });
  };

  const startOrTakeSpare = (): Promise<ChildProcess> => {
    const starting = spare ?? start();
    spare = undefined;
    return starting;
  };

  const run = async <Result>(call: object, options: CallOptions): Promise<Result> => {
    const reused = takeIdle();
    const child = reused ?? (await startOrTakeSpare());
    let likely: NodeJS.Timeout | undefined;
    const seen = { begun: false };
    const assembly = new Assembly();
    let answer: Answer;
    try {
      const guard = setTimeout(() => child.kill('SIGKILL'), SEND_MS);
      const rest = await sendPieces(call, (message) => send(child, message));
      clearTimeout(guard);
      likely = setTimeout(startSpare, options.withinMs * LIKELY_TO_EXCEED);
      const answered = nextMessage<Answer>(child, options.withinMs, (message, restart) => {
        if ('error' in message) return message;
        if ('result' in message) return { result: assembly.finish(message.result) };
        seen.begun ||= 'begun' in message;
        if ('phase' in message) options.onPhase?.(message.phase);
        if ('pieces' in message) {
          assembly.add(message);
          restart();
        }
        return undefined;
      });
      void send(child, { call: rest });
      answer = await answered;
    } catch (error) {
      child.kill('SIGKILL');
      // The child exited while idle, which is not the fault of the call.
      if (reused && !seen.begun && error instanceof ChildDeath) return await run(call, options);
      throw error;
    } finally {
      clearTimeout(likely);
    }
    release(child);
    if ('error' in answer) throw new Error(answer.error);
    return answer.result as Result;
  };

  return {
    run,
    close: () => {
      isClosed = true;
      for (const child of alive) child.kill('SIGKILL');
    },
  };
}

/** Resolves when the message is written, or cannot be: the exit of a child is seen elsewhere. */
function send(child: ChildProcess, message: CallMessage): Promise<void> {
  return new Promise((resolve) => {
    child.send(message, () => {
      resolve();
    });
  });
}

/**
 * Resolves to the first value that `pick` returns for a message.
 * @param pick can start the time limit again
 */
function nextMessage<Value>(
  child: ChildProcess,
  withinMs: number,
  pick: (message: ChildMessage, restart: () => void) => Value | undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', onError);
    };
    const fail = (error: Error) => {
      settle();
      reject(error);
    };
    const onMessage = (message: unknown) => {
      const value = isChildMessage(message) ? pick(message, () => timer.refresh()) : undefined;
      if (value === undefined) return;
      settle();
      resolve(value);
    };
    const onExit = () => {
      fail(new ChildDeath('the child process ended'));
    };
    const onError = (error: unknown) => {
      fail(new ChildDeath(errorText(error)));
    };
    const timer = setTimeout(() => {
      fail(new ChildTimeout(`the child process did not respond within ${withinMs} ms`));
    }, withinMs);
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.on('error', onError);
    if (!child.connected) onExit();
  });
}

function isChildMessage(message: unknown): message is ChildMessage {
  return typeof message === 'object' && message !== null;
}
