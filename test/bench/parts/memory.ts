/**
 * Memory of all processes: idle, while large mails arrive at once and wait for a stopped worker,
 * and while the worker stores them. Measured as the proportional set size of the kernel: resident
 * pages, with shared pages divided among the processes that share them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Product } from '../../support/process/product.ts';
import { attachmentMail } from '../../load/mails.ts';
import { mibOf, processesOf } from '../accounting/processes.ts';
import type { Figure } from '../figures.ts';
import { openSession } from '../../load/smtp.ts';

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
  const { rest } = product;
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
    { work: 'memory, idle', result: showMemory(idle) },
    { work: 'memory, ten 24 MiB mails arriving, worker stopped', result: showMemory(arriving) },
    { work: 'memory, the worker storing them', result: showMemory(storing) },
  ];
}

export function showMemory({ total, byProcess }: Memory): string {
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
  const byProcess = new Map<string, number>();
  let total = 0;
  for (const { pid, name } of await processesOf(product)) {
    const mib = await mibOf(pid);
    byProcess.set(name, (byProcess.get(name) ?? 0) + mib);
    total += mib;
  }
  return { total, byProcess };
}
