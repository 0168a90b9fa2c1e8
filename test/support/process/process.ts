/** Processes of the service, started as a supervisor starts them. */
import { join } from 'node:path';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { ROOT } from '../../../core/root.ts';
import { inherited } from './inherited.ts';

export interface TestProcess {
  readonly child: ChildProcess;
  /** Its output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Its exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Sends SIGTERM. Resolves to the exit code. */
  readonly stop: () => Promise<number | null>;
}

/**
 * The file of a program such as `jobs/worker`. scripts/test builds the product, and a bundle starts
 * with a third of the CPU time of its source.
 */
export function programPath(program: string): string {
  return join(ROOT, process.env.TEST_BUILT ? `dist/${program}.js` : `${program}.ts`);
}

/** Starts a program, or a file below the root, without waiting for it. */
export function launch(
  entry: string,
  env: Record<string, string>,
  args: string[] = [],
): TestProcess {
  const child = spawn(
    process.execPath,
    [entry.endsWith('.js') ? join(ROOT, entry) : programPath(entry), ...args],
    {
      env: { ...inherited, NODE_ENV: 'test', LOG_LEVEL: 'warn', ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = Promise.all([
    once(child, 'exit').then(([code]) => code as number | null),
    ...[child.stdout, child.stderr].map((stream) => stream && finished(stream)),
  ]).then(([code]) => code);
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    exited,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

/** Starts `entry` and resolves once it reports that it is ready. */
export async function start(entry: string, env: Record<string, string>): Promise<TestProcess> {
  const running = launch(entry, env);
  const ready = once(running.child, 'message');
  const died = running.exited.then((code) => {
    throw new Error(`${entry} ended with ${String(code)}:\n${running.stdout()}${running.stderr()}`);
  });
  await Promise.race([ready, died]);
  died.catch(() => {
    // the test handles a later exit
  });
  return running;
}
