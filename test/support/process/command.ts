/** Runs the command `mayfly`, as a process as users do, or in this process. */
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { main } from '../../../packages/cli/src/main.ts';
import { ROOT } from '../../../core/root.ts';
import { inherited } from './inherited.ts';

export const MAYFLY = join(ROOT, 'packages/cli/dist/mayfly.js');
const QUICK_IMPORTS = pathToFileURL(join(ROOT, 'scripts/dev/quick-imports.ts')).href;

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningCommand {
  /** The next line of standard output. */
  readonly line: () => Promise<string>;
  /** Resolves when standard error has a line with this text. */
  readonly noted: (text: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

function start(args: string[], env: NodeJS.ProcessEnv) {
  const loadedFirst = args[0]?.endsWith('.ts') ? ['--import', QUICK_IMPORTS] : [];
  return spawn(process.execPath, [...loadedFirst, ...args], { env: { ...inherited, ...env } });
}

export function runCommand(args: string[], env: NodeJS.ProcessEnv, input = ''): Promise<Ran> {
  return runNode([MAYFLY, ...args], env, input);
}

/**
 * Same as `runCommand`, in this process and from the source: a process takes 20 times the CPU time
 * of most commands.
 */
export async function callCommand(
  args: string[],
  env: NodeJS.ProcessEnv,
  input = '',
): Promise<Ran> {
  const ran: Ran = { code: null, stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') =>
    new Writable({
      decodeStrings: false,
      write: (chunk: Buffer | string, _encoding, done) => {
        ran[name] += chunk.toString();
        done();
      },
    });
  const streams = { stdin: Readable.from([Buffer.from(input)]), stdout: into('stdout') };
  ran.code = await main(args, env, { ...streams, stderr: into('stderr') });
  return ran;
}

/** Runs Node.js with these arguments, in the folder of the tests. */
export async function runNode(args: string[], env: NodeJS.ProcessEnv, input = ''): Promise<Ran> {
  const child = start(args, env);
  const ran: Ran = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (ran.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (ran.stderr += chunk.toString()));
  child.stdin.on('error', () => undefined).end(input);
  [ran.code] = (await once(child, 'close')) as [number | null];
  return ran;
}

export function startCommand(args: string[], env: NodeJS.ProcessEnv): RunningCommand {
  const child = start([MAYFLY, ...args], env);
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const notes: string[] = [];
  const errors = createInterface({ input: child.stderr }).on('line', (line) => notes.push(line));
  return {
    line: async () => {
      const next = await lines.next();
      if (next.done === true) throw new Error(`The command has ended: ${notes.join('\n')}`);
      return next.value;
    },
    noted: async (text) => {
      while (!notes.some((note) => note.includes(text))) await once(errors, 'line');
    },
    stop: async () => {
      child.kill();
      await closed;
    },
  };
}
