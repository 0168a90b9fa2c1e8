/** Runs programs of the machine, as a reader of the documentation does. */
import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptionsWithoutStdio,
  type SpawnSyncOptions,
  spawn,
  spawnSync,
} from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from '../../../core/root.ts';

export function isThere(program: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$0"', program]).status === 0;
}

/**
 * Its standard output. Servers of this process do not answer meanwhile: a program that needs one
 * takes `runBeside`.
 * @throws with its standard error if it fails.
 */
export function run(program: string, args: string[], options: SpawnSyncOptions = {}): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: ROOT, ...options });
  if (status !== 0) throw new Error(`${program} ended with ${String(status)}: ${String(stderr)}`);
  return stdout.toString();
}

/** Same as `run`, while this process goes on. */
export async function runBeside(
  program: string,
  args: string[],
  options: SpawnOptionsWithoutStdio = {},
): Promise<string> {
  const { status, stdout, stderr } = await ended(spawn(program, args, { cwd: ROOT, ...options }));
  if (status !== 0) throw new Error(`${program} ended with ${String(status)}: ${stderr}`);
  return stdout;
}

export interface Ended {
  /** Null if a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Gives the process its whole standard input, and waits for its end.
 * @throws if it could not be started.
 */
export async function ended(child: ChildProcessWithoutNullStreams, input = ''): Promise<Ended> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin.on('error', () => undefined).end(input);
  const [status] = (await once(child, 'close')) as [number | null];
  return {
    status,
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
  };
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
