/** All processes that `up` started, and the order in which they stop. */
import type { ChildProcess } from 'node:child_process';
import {
  type ExitStatus,
  waitForExit,
  lastOutput,
  killGroup,
} from '../../core/process/child-exit.ts';
import { type SuperviseOptions, superviseChild } from '../../core/process/supervise-child.ts';

/** Why `up` cannot start, as a text for the operator. */
export class StartError extends Error {
  override name = 'StartError';
}

/** Stop order: first the processes that accept work, then the workers, then the stores. */
const STAGES = ['intake', 'work', 'state'] as const;
export type Stage = (typeof STAGES)[number];

export interface Supervisor {
  /**
   * Starts a process and keeps it running. Resolves to null once it is ready, or to its exit
   * status.
   */
  keep: (stage: Stage, spec: SuperviseOptions) => Promise<ExitStatus | null>;
  /** Waits until a child exits. @throws {StartError} unless it exits with 0. */
  finish: (what: string, child: ChildProcess, onLine: (line: string) => void) => Promise<void>;
  /** Resolves when all processes have exited. */
  stop: () => Promise<void>;
  /** Kills all processes at once. */
  kill: () => void;
}

interface Started {
  stage: Stage;
  stop: () => Promise<unknown>;
  kill: () => void;
}

export function openSupervisor(): Supervisor {
  const everything = new Set<Started>();
  let stopping = false;
  const admit = (started: Started) => {
    everything.add(started);
    if (stopping) started.kill();
    return started;
  };

  return {
    keep(stage, spec) {
      if (stopping) throw new StartError('Stopped during startup.');
      const child = superviseChild(spec);
      admit({ stage, stop: child.stop, kill: child.kill });
      return child.started;
    },
    async finish(what, child, onLine) {
      const exited = waitForExit(child, onLine);
      const kill = () => {
        killGroup(child);
      };
      const stop = () => {
        child.kill('SIGTERM');
        return exited;
      };
      const started = admit({ stage: 'intake', stop, kill });
      const status = await exited;
      everything.delete(started);
      if (status.code !== 0) throw new StartError(`${what} failed: ${lastOutput(status)}`);
    },
    async stop() {
      stopping = true;
      for (const stage of STAGES) {
        await Promise.all([...everything].filter((s) => s.stage === stage).map((s) => s.stop()));
      }
    },
    kill() {
      stopping = true;
      for (const started of everything) started.kill();
    },
  };
}
