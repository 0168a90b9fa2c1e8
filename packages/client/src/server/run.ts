/** One process of Mayfly that ends with this process, however this one ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

export const HOST = '127.0.0.1';
const READY = /^Mayfly is ready\.$/m;
const START_WITHIN_MS = 180_000;
const KEPT_CHARACTERS = 20_000;

/**
 * Runs the command after the first argument, a folder, and stops it when standard input ends, which
 * it does when the process at its other end is gone. Then it removes the folder. For `sh -c`.
 */
export const UNTIL_INPUT_ENDS = `exec 3<&0
folder=$1
shift
"$@" </dev/null 3<&- &
up=$!
{ cat <&3; kill "$up"; } >/dev/null 2>&1 &
wait "$up"
status=$?
rm -rf "$folder"
exit "$status"`;

export interface Started {
  /** Resolves when everything has ended. */
  readonly stop: () => Promise<void>;
}

/** A Mayfly that is ready. */
export interface ReadyService extends Started {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly smtpPort: number;
}

/**
 * Resolves when Mayfly says that it is ready. The process does not keep this one alive.
 * @throws with the end of its output if it ends before, or is not ready within 3 minutes
 */
export async function start(command: string[], env: NodeJS.ProcessEnv): Promise<Started> {
  const [program = '', ...args] = command;
  // In a group of its own: Ctrl-C in a terminal ends it by the end of this process.
  const child = spawn(program, args, { env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'close').catch((error: unknown) => [error]);
  child.stdin.on('error', () => undefined); // it has ended already
  let output = '';
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-KEPT_CHARACTERS);
        if (READY.test(output)) resolve();
      });
    }
  });
  const streams = child.stdio.filter((stream) => stream instanceof Socket);
  const stop = async () => {
    child.ref();
    for (const stream of streams) stream.ref();
    child.stdin.end();
    await ended;
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => {
      resolve(`is not ready after ${START_WITHIN_MS / 1000} s:`);
    }, START_WITHIN_MS);
  });
  const fault = await Promise.race([ready, late, ended.then(([reason]) => exitText(reason))]);
  clearTimeout(timer);
  if (fault !== undefined) {
    await stop();
    throw new Error(`Mayfly ${fault}\n${output}`.trim());
  }
  child.unref();
  for (const stream of streams) stream.unref();
  return { stop };
}

function exitText(reason: unknown): string {
  if (reason instanceof Error) return `cannot start: ${reason.message}`;
  return typeof reason === 'number' ? `ended with exit code ${reason}:` : 'was killed:';
}
