/** The processes of a product, or of a peer, from /proc, and what the kernel says about them. */
import { readFile, readdir } from 'node:fs/promises';
import type { Product } from '../../support/process/product.ts';

export interface Process {
  readonly pid: number;
  /** Such as `smtp`; `parsing` for a child of a worker, `web` for a child of a web process. */
  readonly name: string;
}

/** The supervisor and all its descendants. */
export async function processesOf(product: Product): Promise<Process[]> {
  const names = new Map([...product.processes()].map(([name, pid]) => [pid, roleOf(name)]));
  const top = product.child.pid ?? 0;
  names.set(top, 'up');
  return (await tree(top)).map(({ pid, parent }) => ({
    pid,
    name: names.get(pid) ?? (names.get(parent) === 'web' ? 'web' : 'parsing'),
  }));
}

/** A process that the product did not start, and all its descendants, under one name. */
export async function processesBelow(pid: number, name: string): Promise<Process[]> {
  return (await tree(pid)).map((process) => ({ pid: process.pid, name }));
}

/** Proportional set size in MiB; 0 for a process that has exited. */
export async function mibOf(pid: number): Promise<number> {
  return field(await procText(pid, 'smaps_rollup'), 'Pss') / 1024;
}

/** User and system time since its start, in milliseconds; 0 for a process that has exited. */
export async function cpuMsOf(pid: number): Promise<number> {
  const text = await procText(pid, 'stat');
  // The name, in brackets, can contain spaces. utime and stime are fields 14 and 15.
  const [, , , , , , , , , , , utime = 0, stime = 0] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return (utime + stime) * MS_A_TICK;
}

/** Bytes that it has caused to be written to a disk. */
export async function writtenBytesOf(pid: number): Promise<number> {
  return field(await procText(pid, 'io'), 'write_bytes');
}

/** USER_HZ is 100 on every architecture that Node supports. */
const MS_A_TICK = 10;

/** `worker.1` is a worker. */
function roleOf(name: string): string {
  return name.replace(/\.\d+$/, '');
}

interface Linked {
  pid: number;
  parent: number;
}

async function tree(top: number): Promise<Linked[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const all = await Promise.all(
    pids.map(async (pid) => ({ pid, parent: field(await procText(pid, 'status'), 'PPid') })),
  );
  const below = (parent: number): Linked[] =>
    all
      .filter((process) => process.parent === parent)
      .flatMap((process) => [process, ...below(process.pid)]);
  return [...all.filter(({ pid }) => pid === top), ...below(top)];
}

function procText(pid: number, name: string): Promise<string> {
  return readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
}

function field(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}
