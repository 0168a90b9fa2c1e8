/**
 * A platform with a Procfile: it runs `release`, then each line as a process that is configured by
 * its environment only and stopped with SIGTERM. Like npm's foreman it signals only the shell that
 * it has started.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { ROOT } from '../../../core/root.ts';
import { killGroup } from '../../../core/process/child-exit.ts';
import { parseProcfile } from '../../../scripts/supervise/procfile.ts';
import { inherited } from './inherited.ts';
import { follow } from './programs.ts';

export interface Dyno {
  readonly output: () => string;
  /** Its exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Kills its process group. */
  readonly kill: () => void;
}

const procfile = parseProcfile(readFileSync(new URL('Procfile', `file://${ROOT}`), 'utf8'));

/** The commands of the Procfile by process, without `release`. */
export const processCommands: ReadonlyMap<string, string> = procfile.processes;

/** The processes of the Procfile, without `release`. */
export const processNames = [...procfile.processes.keys()];

/** Starts a line of the Procfile with these variables only. */
export function startDyno(name: string, env: Record<string, string>): Dyno {
  const command = name === 'release' ? procfile.release : procfile.processes.get(name);
  if (!command) throw new Error(`the Procfile has no line ${name}`);
  const child: ChildProcess = spawn('sh', ['-c', command], {
    cwd: ROOT,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  return {
    output: follow(child).output,
    // Not `close`, which waits for processes that outlive the shell.
    exited: once(child, 'exit').then(([code]) => code as number | null),
    signal: (signal) => child.kill(signal),
    kill: () => {
      killGroup(child);
    },
  };
}
