/**
 * What a platform with a Procfile does: it runs `release`, then each line as a process of its own, which it tells
 * what it needs to know in its environment alone, and ends with SIGTERM. Like npm's foreman it signals the shell that
 * it has started, and nothing below.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { signalGroup } from '../../../core/process/child-exit.js';
import { parseProcfile } from '../../../scripts/supervise/procfile.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

export interface Dyno {
  readonly output: () => string;
  /** Its exit code, once it has ended; null when a signal ended it. */
  readonly exited: Promise<number | null>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Ends at once what is left of it and of all that it has started. */
  readonly kill: () => void;
}

const procfile = parseProcfile(readFileSync(new URL('Procfile', `file://${ROOT}`), 'utf8'));

/** The commands of the Procfile by process, `release` aside. */
export const processCommands: ReadonlyMap<string, string> = procfile.processes;

/** The processes that the Procfile names, `release` aside. */
export const processNames = [...procfile.processes.keys()];

/** Starts a line of the Procfile with nothing but these variables. */
export function startDyno(name: string, env: Record<string, string>): Dyno {
  const command = name === 'release' ? procfile.release : procfile.processes.get(name);
  if (!command) throw new Error(`the Procfile names no ${name}`);
  const child: ChildProcess = spawn('sh', ['-c', command], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  return {
    output: () => output,
    // Not `close`, which a process that outlives the shell holds up.
    exited: once(child, 'exit').then(([code]) => code as number | null),
    signal: (signal) => child.kill(signal),
    kill: () => {
      signalGroup(child, 'SIGKILL');
    },
  };
}
