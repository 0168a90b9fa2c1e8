/**
 * Memory of all processes: idle, while large mails arrive at once and wait for a stopped worker,
 * and while the worker stores them. Measured as the proportional set size of the kernel: resident
 * pages, with shared pages divided among the processes that share them.
 */
import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Product } from '../../support/process/product.js';
import { restClient } from '../../support/clients/rest-client.js';
import { attachmentMail } from '../load/bench-mail.js';
import type { Figure } from '../figures.js';
import { openSession } from '../load/smtp-load.js';

const MIB = 1024 * 1024;
const SAMPLE_EVERY_MS = 50;
const SETTLED_MS = 3000;

/** MiB per process, and in total, at one moment. */
export interface Memory {
  total: number;
  byProcess: Map<string, number>;
}

export interface LargeMailMemory {
  idle: Memory;
  /** The maximum of each. */
  arriving: Memory;
  storing: Memory;
}

/** Sends mails at once to a product whose worker is stopped, then resumes it. */
export async function largeMailMemory(
  product: Product,
  mails = 10,
  bytes = 24 * MIB,
): Promise<LargeMailMemory> {
  const rest = restClient(product.apiUrl, product.token ?? '');
  const name = `large-${Date.now()}`;
  await rest.createMailbox(name);
  await delay(SETTLED_MS);
  const idle = await memoryOf(product);
  const body = attachmentMail(bytes);

  product.kill('worker', 'SIGSTOP');
  const arriving = await worstWhile(product, async () => {
    await Promise.all(
      Array.from({ length: mails }, async () => {
        const session = await openSession(product.smtpPort);
        await session.send(`${name}@${product.domain}`, body);
        await session.quit();
      }),
    );
  }).finally(() => {
    product.kill('worker', 'SIGCONT');
  });
  const storing = await worstWhile(product, async () => {
    while ((await rest.messageCount(name)) < mails) await delay(SAMPLE_EVERY_MS);
  });
  return { idle, arriving, storing };
}

/** The same as lines of the bench. */
export async function memoryFigures(product: Product): Promise<Figure[]> {
  const { idle, arriving, storing } = await largeMailMemory(product);
  return [
    { work: 'memory, idle', result: show(idle) },
    { work: 'memory, ten 24 MiB mails arriving, worker stopped', result: show(arriving) },
    { work: 'memory, the worker storing them', result: show(storing) },
  ];
}

function show({ total, byProcess }: Memory): string {
  const parts = [...byProcess].map(([name, mib]) => `${name} ${mib.toFixed(0)}`);
  return `${total.toFixed(0)} MiB (${parts.join(', ')})`;
}

async function worstWhile(product: Product, work: () => Promise<void>): Promise<Memory> {
  let worst: Memory = { total: 0, byProcess: new Map() };
  const over = new AbortController();
  const sampling = (async () => {
    while (!over.signal.aborted) {
      const now = await memoryOf(product);
      if (now.total > worst.total) worst = now;
      await delay(SAMPLE_EVERY_MS);
    }
  })();
  try {
    await work();
  } finally {
    over.abort();
    await sampling;
  }
  return worst;
}

/** Memory of the supervisor and all its descendants, attributed to their roles. */
export async function memoryOf(product: Product): Promise<Memory> {
  const names = new Map([...product.processes()].map(([name, pid]) => [pid, name]));
  const top = product.child.pid ?? 0;
  names.set(top, 'up');
  const processes = await allProcesses();
  const byProcess = new Map<string, number>();
  let total = 0;
  for (const { pid, parent } of descendants(processes, top)) {
    const name = names.get(pid) ?? (names.get(parent) === 'web' ? 'web' : 'parsing');
    const mib = await mibOf(pid);
    byProcess.set(name, (byProcess.get(name) ?? 0) + mib);
    total += mib;
  }
  return { total, byProcess };
}

interface Process {
  pid: number;
  parent: number;
}

function descendants(processes: Process[], top: number): Process[] {
  const children = processes.filter(({ parent }) => parent === top);
  return [
    ...processes.filter(({ pid }) => pid === top),
    ...children.flatMap(({ pid }) => descendants(processes, pid)),
  ];
}

async function allProcesses(): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  return Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return { pid: Number(pid), parent: field(status, 'PPid') };
    }),
  );
}

/** Zero for a process that has just exited. */
async function mibOf(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return field(rollup, 'Pss') / 1024;
}

function field(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}
