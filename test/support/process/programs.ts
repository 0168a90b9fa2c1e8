/** Runs programs of the machine, as a reader of the documentation does. */
import { type ChildProcess, type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from '../../../core/root.ts';

export function isThere(program: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$0"', program]).status === 0;
}

/** Its standard output. @throws with its standard error if it fails. */
export function run(program: string, args: string[], options: SpawnSyncOptions = {}): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: ROOT, ...options });
  if (status !== 0) throw new Error(`${program} ended with ${String(status)}: ${String(stderr)}`);
  return stdout.toString();
}

export interface Followed {
  readonly child: ChildProcess;
  /** Its output so far, including standard error. */
  readonly output: () => string;
  /** Its exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>;
}

/** Follows the output of a process. */
export function follow(child: ChildProcess): Followed {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return { child, output: () => output, exited };
}

export interface RunningProgram {
  /** Its output so far, including standard error. */
  readonly output: () => string;
  /** Ends its process group. */
  readonly stop: () => Promise<void>;
}

/** Starts a program that runs until it is stopped. */
export function startProgram(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv = process.env,
): RunningProgram {
  const { child, output, exited } = follow(
    spawn(program, args, { cwd: ROOT, env, detached: true }),
  );
  return {
    output,
    stop: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid);
      await exited;
    },
  };
}
