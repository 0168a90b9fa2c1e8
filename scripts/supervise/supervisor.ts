/** Everything `up` has started, and the one order in which it is stopped. */
import type { ChildProcess } from 'node:child_process';
import { type Ending, followToEnd, lastWords, signalGroup } from '../../core/ending.js';
import { type KeptSpec, keepRunning } from '../../core/kept-process.js';
import { StartError } from './start-error.js';

/** What stops first: whoever takes in work, then whoever works it off, then what holds it. */
const STAGES = ['intake', 'work', 'state'] as const;
export type Stage = (typeof STAGES)[number];

export interface Supervisor {
  /** Starts a process and keeps it running; resolves when it is first ready, or with its ending. */
  keep: (stage: Stage, spec: KeptSpec) => Promise<Ending | null>;
  /** Sees a child to its end. @throws {StartError} unless it exits with 0. */
  finish: (what: string, child: ChildProcess, onLine: (line: string) => void) => Promise<void>;
  /** Resolves when nothing that was started is left. */
  stop: () => Promise<void>;
  /** Ends everything at once. */
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
      if (stopping) throw new StartError('Stopped while starting.');
      const kept = keepRunning(spec);
      admit({ stage, stop: kept.stop, kill: kept.kill });
      return kept.started;
    },
    async finish(what, child, onLine) {
      const ended = followToEnd(child, onLine);
      const kill = () => {
        signalGroup(child, 'SIGKILL');
      };
      const stop = () => {
        child.kill('SIGTERM');
        return ended;
      };
      const started = admit({ stage: 'intake', stop, kill });
      const ending = await ended;
      everything.delete(started);
      if (ending.code !== 0) throw new StartError(`${what} failed: ${lastWords(ending)}`);
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
