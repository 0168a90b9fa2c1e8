/** Programs of the machine that tests run, as a reader of the documentation does. */
import { type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

export function isThere(program: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$0"', program]).status === 0;
}

/** What it writes to standard output. @throws with what it complains of, when it fails. */
export function run(program: string, args: string[], options: SpawnSyncOptions = {}): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: ROOT, ...options });
  if (status !== 0) throw new Error(`${program} ended with ${String(status)}: ${String(stderr)}`);
  return stdout.toString();
}

export interface RunningProgram {
  /** What it has written so far, complaints included. */
  readonly output: () => string;
  /** Ends it with all that it has started. */
  readonly stop: () => Promise<void>;
}

/** Starts a program that runs until it is stopped. */
export function startProgram(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv = process.env,
): RunningProgram {
  const child = spawn(program, args, { cwd: ROOT, env, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const closed = once(child, 'close');
  return {
    output: () => output,
    stop: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid);
      await closed;
    },
  };
}
