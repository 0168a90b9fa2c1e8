/**
 * What a number of mails cost: CPU time by process, commands and reads of Redis, bytes written. CPU
 * time differs far less between runs on a shared machine than rates do.
 */
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Product } from '../../support/process/product.ts';
import { type Process, cpuMsOf, processesOf, writtenBytesOf } from './processes.ts';

export interface Usage {
  /** Milliseconds of CPU time by process name. */
  cpuMs: Map<string, number>;
  writtenBytes: number;
  redis: {
    /** Commands, with those that scripts call. */
    commands: number;
    /** Reads of a client connection: each is one round trip, or several commands in one. */
    reads: number;
  };
}

export interface Accounts {
  /** Everything used since the start of the processes. */
  read: () => Promise<Usage>;
  close: () => void;
}

/** Accounts of a product with its embedded Redis. */
export function openAccounts(product: Product): Accounts {
  const redis = new Redis(join(product.dataDir, 'redis', 'redis.sock'));
  return {
    read: async () => {
      const stats = await redis.info('stats');
      const stat = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(stats)?.[1]);
      return {
        ...(await usageOf(await processesOf(product))),
        redis: {
          commands: stat('total_commands_processed'),
          reads: stat('total_reads_processed'),
        },
      };
    },
    close: () => {
      redis.disconnect();
    },
  };
}

/** CPU time and written bytes of these processes. */
export async function usageOf(processes: Process[]): Promise<Omit<Usage, 'redis'>> {
  const cpuMs = new Map<string, number>();
  let writtenBytes = 0;
  for (const { pid, name } of processes) {
    cpuMs.set(name, (cpuMs.get(name) ?? 0) + (await cpuMsOf(pid)));
    writtenBytes += await writtenBytesOf(pid);
  }
  return { cpuMs, writtenBytes };
}

/** Processes that only the bench itself keeps busy are no part of the total. */
const NOT_IN_TOTAL = new Set(['web', 'up']);

/** CPU milliseconds a mail between two readings, by process and in total. */
export function cpuAMail(
  before: Pick<Usage, 'cpuMs'>,
  after: Pick<Usage, 'cpuMs'>,
  mails: number,
): Record<string, number> {
  const parts = [...after.cpuMs].map(([name, ms]): [string, number] => [
    name,
    (ms - (before.cpuMs.get(name) ?? 0)) / mails,
  ]);
  const total = parts
    .filter(([name]) => !NOT_IN_TOTAL.has(name))
    .reduce((sum, [, ms]) => sum + ms, 0);
  return { total, ...Object.fromEntries(parts) };
}

/** Such as `1.75 (smtp 0.61, worker 0.79, redis 0.35)`. */
export function showCpu({ total = 0, ...parts }: Record<string, number>): string {
  const shown = Object.entries(parts).filter(([, ms]) => ms >= 0.005);
  return `${total.toFixed(2)} ms (${shown.map(([name, ms]) => `${name} ${ms.toFixed(2)}`).join(', ')})`;
}
