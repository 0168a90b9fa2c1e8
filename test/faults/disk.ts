/** F6 and F7: a full disk, and a database locked by another process. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { openBench } from './harness/bench.ts';
import type { Fault, FaultGroup } from './harness/fault.ts';
import { mailIsPutOff } from './harness/smtp-load.ts';
import { cannotMount, databaseOn, mountDisks, whileFull } from './harness/small-disks.ts';

/** Longer than the database timeout of jobs and requests. */
const LOCKED_MS = 7000;
const FULL_MS = 2000;

const openDatabase = (dataDir: string) => new Database(join(dataDir, 'database', 'mayfly.sqlite'));

const faults: Fault[] = [
  {
    id: 'F6',
    title: 'the disk of the blobs is full',
    inject: (situation) =>
      whileFull(situation.bench.dataDir, 'blobs', () => mailIsPutOff(situation, true)),
  },
  {
    id: 'F6',
    title: 'the disk of the database is full',
    inject: ({ bench, load }) =>
      whileFull(bench.dataDir, 'database', async () => {
        await load.accepted(10);
        await delay(FULL_MS);
      }),
  },
  {
    id: 'F6',
    title: 'the disk of Redis is full',
    inject: async (situation) => {
      const { bench } = situation;
      const pid = bench.product().processes().get('redis');
      await whileFull(bench.dataDir, 'redis', () => mailIsPutOff(situation));
      await bench.isBack('redis', pid);
    },
  },
  {
    id: 'F7',
    title: 'another process locks the database for longer than any timeout',
    inject: async ({ bench }) => {
      const database = openDatabase(bench.dataDir);
      database.exec('begin immediate');
      await delay(LOCKED_MS);
      database.exec('rollback');
      database.close();
    },
  },
  {
    id: 'F7',
    title: 'a long read of another process prevents checkpoints of the write-ahead log',
    slow: true,
    inject: async ({ bench, load }) => {
      const database = openDatabase(bench.dataDir);
      database.exec('begin; select count(*) from mails');
      await load.accepted(20);
      database.exec('rollback');
      database.close();
    },
  },
];

export const diskGroup: FaultGroup = {
  title: 'a disk is full, or the database is locked',
  cannot: cannotMount,
  openBench: () =>
    openBench({
      prepare: async (dataDir) => {
        const unmount = await mountDisks(dataDir);
        return { env: { DATABASE_URL: databaseOn(dataDir) }, undo: unmount };
      },
    }),
  faults,
};
