import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

const LINES_KEPT = 20;

/** How a child ended, and the last lines it wrote. */
export interface Ending {
  code: number | null;
  /** "exit code 1", "SIGKILL" or why it never ran. */
  how: string;
  lines: string[];
}

/**
 * Follows a child to its end: `onLine` gets each line it writes. Whatever is left of its process group
 * is killed with it, so that nothing the child had started outlives it.
 */
export function followToEnd(child: ChildProcess, onLine: (line: string) => void): Promise<Ending> {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on('line', (line) => {
      if (lines.push(line) > LINES_KEPT) lines.shift();
      onLine(line);
    });
  }
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve({ code: null, how: error.message, lines });
    });
    child.once('exit', () => {
      signalGroup(child, 'SIGKILL');
    });
    child.once('close', (code, signal) => {
      resolve({ code, how: signal ?? `exit code ${code}`, lines });
    });
  });
}

/** Signals a detached child with all that it started; a group that is gone needs no signal. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // ESRCH: nothing is left of it.
  }
}

/** What the child said last that is meant for a reader: its own `mayfly:` text, else its last line. */
export function lastWords(ending: Ending): string {
  const own = ending.lines.findIndex((line) => line.startsWith('mayfly: '));
  if (own >= 0) return ending.lines.slice(own).join('\n').slice('mayfly: '.length);
  return ending.lines.at(-1) ?? ending.how;
}
