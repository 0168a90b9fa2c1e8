/**
 * CPU time of a process and all below it, from /proc. The time of a process that has ended is in
 * that of its parent, once the parent has waited for it.
 */
import { readFileSync, readdirSync } from 'node:fs';

/** Linux counts the time of processes in hundredths of a second. */
const PER_SECOND = 100;

/** Servers that the tests of many files share, by the name of their program. */
const SERVERS: Record<string, RegExp> = {
  redis: /^redis-server/,
  postgres: /^postgres/,
  browser: /^(?:chrom|headless)/,
};

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
  /** It wants the processor or the disk. */
  readonly isBusy: boolean;
  /** CPU time of it, and of those that it has waited for. */
  readonly seconds: number;
}

export interface Tree {
  /** CPU seconds of the root and all below it, servers included. */
  readonly seconds: number;
  /** By the pid of a running server, with those below it. */
  readonly servers: ReadonlyMap<number, { readonly name: string; readonly seconds: number }>;
  /** A process below the root wants the processor or the disk. */
  readonly isBusy: boolean;
}

/** The tree below a process, null where there is no /proc. */
export function readTree(root: number): Tree | null {
  const own = readProcess(root);
  if (!own) return null;
  const children = new Map<number, Process[]>();
  for (const entry of readdirSync('/proc')) {
    const one = /^\d+$/.test(entry) ? readProcess(Number(entry)) : null;
    if (one) children.set(one.parent, [...(children.get(one.parent) ?? []), one]);
  }
  const below = (pid: number): Process[] =>
    (children.get(pid) ?? []).flatMap((child) => [child, ...below(child.pid)]);
  const all = below(root);
  const sum = (processes: Process[]) =>
    processes.reduce((total, { seconds }) => total + seconds, 0);

  const servers = new Map<number, { name: string; seconds: number }>();
  const names = new Map(all.map(({ pid, program }) => [pid, serverOf(program)]));
  for (const one of all) {
    const name = names.get(one.pid);
    if (name === undefined || names.get(one.parent) === name) continue;
    servers.set(one.pid, { name, seconds: sum([one, ...below(one.pid)]) });
  }
  return { seconds: sum([own, ...all]), servers, isBusy: all.some(({ isBusy }) => isBusy) };
}

const serverOf = (program: string) =>
  Object.entries(SERVERS).find(([, pattern]) => pattern.test(program))?.[0];

/** @see proc_pid_stat(5). The name of the program can have blanks and brackets. */
function readProcess(pid: number): Process | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null; // it has ended, or there is no /proc
  }
  const end = stat.lastIndexOf(')');
  const [state = '', parent, ...others] = stat.slice(end + 2).split(' ');
  // utime, stime, cutime and cstime: the fields 14 to 17.
  const ticks = others.slice(9, 13).reduce((total, field) => total + Number(field), 0);
  return {
    pid,
    parent: Number(parent),
    program: stat.slice(stat.indexOf('(') + 1, end),
    isBusy: /[RD]/.test(state),
    seconds: ticks / PER_SECOND,
  };
}
