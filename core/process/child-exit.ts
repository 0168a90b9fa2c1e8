import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

const MAX_LINES = 20;

/** How a child process exited, with the last lines of its output. */
export interface ExitStatus {
  /** Null if the child was killed by a signal or could not be started. */
  code: number | null;
  /** "exit code 1", the name of the signal, or the error of the start. */
  reason: string;
  lastLines: string[];
}

/**
 * Resolves when the child has exited. `onLine` receives each line of its output. The rest of its
 * process group is killed, so no descendant outlives it.
 */
export function waitForExit(
  child: ChildProcess,
  onLine: (line: string) => void,
): Promise<ExitStatus> {
  const lastLines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      if (lastLines.push(line) > MAX_LINES) lastLines.shift();
      onLine(line);
    });
  }
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve({ code: null, reason: error.message, lastLines });
    });
    child.once('exit', () => {
      killGroup(child);
    });
    child.once('close', (code, signal) => {
      resolve({ code, reason: signal ?? `exit code ${code}`, lastLines });
    });
  });
}

/** Kills the process group of a detached child. A group that no longer exists is ignored. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // ESRCH: the group no longer exists.
  }
}

/**
 * The last output of a child for the operator: its `mayfly:` line, else its last line, else the
 * reason.
 */
export function lastOutput({ lastLines, reason }: ExitStatus): string {
  const own = lastLines.findIndex((line) => line.startsWith('mayfly: '));
  if (own >= 0) return lastLines.slice(own).join('\n').slice('mayfly: '.length);
  return lastLines.at(-1) ?? reason;
}
