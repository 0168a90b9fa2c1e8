/**
 * Loaded before a process of the product with NODE_OPTIONS=--import: a test can make the process
 * crash (SIGKILL) at a named point. The points are calls to Redis, the file system and the
 * database, so the product contains no test code.
 */
import { unlinkSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import Database from 'better-sqlite3';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { ORDERS_VARIABLE, type Point, type Role, orderFile } from './points.ts';

type Call = (...args: unknown[]) => unknown;

const ENTRIES: Record<string, Role> = {
  'haraka-plugin/server.ts': 'smtp',
  'jobs/worker.ts': 'worker',
  'api/server.ts': 'web',
};

/** Those of all mails, and the raw bytes of one. */
const KEYS_OF_ONE_ACK = 6;

const folder = process.env[ORDERS_VARIABLE];
const role = Object.entries(ENTRIES).find(([entry]) => process.argv[1]?.endsWith(entry))?.[1];
if (folder !== undefined && role !== undefined) watch(folder, role);

function watch(orders: string, me: Role): void {
  const isOrdered = (point: Point) => {
    try {
      unlinkSync(orderFile(orders, me, point));
      return true;
    } catch {
      return false;
    }
  };
  const die = () => process.kill(process.pid, 'SIGKILL');
  const reach = (point: Point) => {
    if (isOrdered(point)) die();
  };

  wrap(Redis.prototype, 'defineCommand', (define, redis) => (name, definition) => {
    define(name, definition);
    if (name === 'mayflyAccept') {
      wrap(redis, name, (accept) => (...args) => {
        reach('nothing kept');
        return accept(...args);
      });
    }
    if (name === 'mayflyAck') {
      wrap(redis, name, (ack) => async (...args) => {
        reach('before ack');
        if (args[0] !== KEYS_OF_ONE_ACK) reach('group before ack');
        const reply = await ack(...args);
        reach('after ack');
        return reply;
      });
    }
  });

  wrap(Redis.prototype, 'mgetBuffer', (mgetBuffer) => async (...args) => {
    const bytes = (await mgetBuffer(...args)) as unknown[];
    reach(bytes.length === 1 ? 'bytes loaded' : 'group loaded');
    return bytes;
  });

  wrap(Queue.prototype, 'add', (add, queue) => async (...args) => {
    if (isOrdered('bytes kept')) {
      // The bytes of small mail are sent in the same tick: a later reply shows that they are
      // stored.
      await (queue as Queue).count();
      die();
    }
    const job = await add(...args);
    reach('job added');
    return job;
  });

  wrap(fs, 'rename', (rename) => async (...args) => {
    reach('draft written');
    await rename(...args);
    reach('blob written');
  });
  syncBuiltinESMExports();

  watchPostgres(reach);
  wrap(Database.prototype, 'transaction', (transaction, connection) => (body) => {
    const newest = (connection as Database.Database)
      .prepare('select max(rowid) from mails')
      .pluck();
    let stores = false;
    const made = transaction(() => {
      const before = Number(newest.get());
      const result = (body as () => unknown)();
      const count = Number(newest.get()) - before;
      stores = count !== 0;
      if (stores) reach('before commit');
      if (count > 1) reach('group before commit');
      return result;
    }) as Database.Transaction;
    return {
      immediate: () => {
        const result: unknown = made.immediate();
        if (stores) reach('after commit');
        return result;
      },
    };
  });
}

/** For every connection: its statements show whether a transaction stores mail. */
function watchPostgres(reach: (point: Point) => void): void {
  /** Whether the transaction of a connection stores several mails; absent if it stores none. */
  const storing = new WeakMap<object, boolean>();
  wrap(pg.Client.prototype, 'query', (query, client) => (...args) => {
    const [asked] = args;
    const text = typeof asked === 'string' ? asked : ((asked as { text?: string }).text ?? '');
    if (text.startsWith('BEGIN')) storing.delete(client);
    if (text.startsWith('insert into "mails"')) storing.set(client, text.includes('), ('));
    if (text !== 'COMMIT' || !storing.has(client)) return query(...args);
    reach('before commit');
    if (storing.get(client)) reach('group before commit');
    return (query(...args) as Promise<unknown>).then((result) => {
      reach('after commit');
      return result;
    });
  });
}

/** Replaces a method by a function that gets the bound method and its object. */
function wrap(
  prototype: object,
  name: string,
  around: (original: Call, self: object) => Call,
): void {
  const methods = prototype as Record<string, Call>;
  const original = methods[name];
  if (!original) throw new Error(`there is no method ${name}`);
  methods[name] = function (this: object, ...args: unknown[]) {
    return around((...given) => original.apply(this, given), this)(...args);
  };
}
