import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { rejection } from '../../support/mocha/rejection.ts';
import { eq, sql } from 'drizzle-orm';
import { DatabaseUnavailable } from '../../../db/errors.ts';
import { ROOT } from '../../../core/root.ts';
import { migrateStore, openStore } from '../../../db/open.ts';
import { openGroupTransaction } from '../../../db/group-commit.ts';
import { type Store, query } from '../../../db/store.ts';
import { allDomains, anyWorkspace, insertWorkspace } from '../../../db/statements/workspaces.ts';
import { searchIndexSuite } from '../search-index-suite.ts';
import { storeSuite } from '../store-suite.ts';

async function openFresh() {
  const folder = await mkdtemp(join(tmpdir(), 'mayfly-store-'));
  const databasePath = join(folder, 'mayfly.sqlite');
  await migrateStore({ database: { kind: 'sqlite', path: databasePath } }, ROOT);
  const store = await openStore({ database: { kind: 'sqlite', path: databasePath } });
  const remove = async () => {
    await store.close();
    await rm(folder, { recursive: true });
  };
  return { store, databasePath, remove };
}

describe('store on SQLite', () => {
  storeSuite(openFresh);
});

describe('search index on SQLite', () => {
  searchIndexSuite(openFresh, { completes: true });
});

describe('the SQLite file', () => {
  let store: Store;
  let databasePath: string;
  let remove: () => Promise<void>;

  beforeEach(async () => {
    ({ store, databasePath, remove } = await openFresh());
  });
  afterEach(() => remove());

  const workspace = {
    id: 'w',
    name: 'w',
    domain: 'w.test',
    plan: 'pro' as const,
    createdAt: new Date(),
  };
  const insert = () => store.transaction((tx) => query(insertWorkspace(tx, workspace)));

  /** How often a timer runs during the work. */
  const timersDuring = async (work: () => Promise<unknown>) => {
    let runs = 0;
    const timer = setInterval(() => (runs += 1), 1);
    await work();
    clearInterval(timer);
    return runs;
  };

  it('lets timers run during a loop over statements', async () => {
    const runs = await timersDuring(async () => {
      for (let n = 0; n < 5000; n += 1) await store.query(anyWorkspace);
    });
    expect(runs).to.be.greaterThan(10);
  });

  it('lets timers run between groups of a group commit', async () => {
    const group = openGroupTransaction(store);
    const names = Array.from({ length: 5000 }, (_, n) => ({ id: `w${n}`, domain: `${n}.test` }));
    const add = (name: object) =>
      group.run((tx) => query(insertWorkspace(tx, { ...workspace, ...name })));
    expect(await timersDuring(() => Promise.all(names.map(add)))).to.be.greaterThan(10);
    expect(await store.query(allDomains)).to.have.length(names.length);
  });

  it('gets no bare parameter, which would make SQLite plan a statement in each run', () => {
    const { db } = store;
    const { workspaces: w } = db.t;
    const named = db.select().from(w).where(eq(w.name, 'a')).limit(sql.placeholder('limit'));
    const renamed = db
      .update(w)
      .set({ name: 'b' })
      .where(eq(w.id, sql.placeholder('id')));
    for (const query of [named, renamed]) {
      const parameters = query.toSQL().sql.match(/.{9}\?.{7}/g);
      expect(parameters).to.deep.equal(['coalesce(?, null)', 'coalesce(?, null)']);
    }
  });

  it('is read with a cache of the configured size', async () => {
    const database = { kind: 'sqlite', path: databasePath, cacheKiB: 512 } as const;
    const small = await openStore({ database });
    const size = (db: Store['db']) =>
      db.select({ kib: sql<number>`-cache_size` }).from(sql`pragma_cache_size`);
    const [own] = await small.query(size);
    const [driver] = await store.query(size);
    await small.close();
    expect(own?.kib).to.equal(512);
    expect(driver?.kib).to.be.greaterThan(512);
  });

  it('is reported as damaged if it is no database', async () => {
    const path = `${databasePath}.damaged`;
    await writeFile(path, 'This is no database. '.repeat(1000));
    const text = 'The database file is damaged. Restore it from a backup.';
    for (const use of [(c: Parameters<typeof openStore>[0]) => migrateStore(c, ROOT), openStore]) {
      const fault = await use({ database: { kind: 'sqlite', path } }).catch((e: unknown) => e);
      expect(fault).to.be.instanceOf(DatabaseUnavailable).and.have.property('message', text);
    }
  });

  for (const [when, aheadMs] of [
    ['', 0],
    [', also if the clock changes', 3_600_000],
  ] as const) {
    it(`waits for another writer without losing the write${when}`, async () => {
      const other = new Database(databasePath);
      other.exec('BEGIN IMMEDIATE');
      const waiting = insert();
      const rightClock = Date.now;
      if (aheadMs > 0) Date.now = () => rightClock() + aheadMs;
      try {
        setTimeout(() => other.exec('COMMIT'), 150);
        expect(await waiting).to.have.length(1);
      } finally {
        Date.now = rightClock;
        other.close();
      }
    });
  }

  it('lets one writer at a time wait, so that the event loop is not blocked', async () => {
    const writers = 400;
    const other = new Database(databasePath);
    other.exec('BEGIN IMMEDIATE');
    let longest = 0;
    let before = performance.now();
    const turns = setInterval(() => {
      longest = Math.max(longest, performance.now() - before);
      before = performance.now();
    }, 1);
    const waiting = Array.from({ length: writers }, () => insert());
    setTimeout(() => other.exec('COMMIT'), 300);
    await Promise.allSettled(waiting);
    clearInterval(turns);
    other.close();
    expect(longest).to.be.lessThan((writers * 50) / 2);
  });

  it('can be migrated twice', async () => {
    await insert();
    await migrateStore({ database: { kind: 'sqlite', path: databasePath } }, ROOT);
    expect(await store.db.select().from(store.db.t.workspaces)).to.have.length(1);
  });

  it('reports that it is not migrated, and the command', async () => {
    const error = await rejection(
      openStore({
        database: { kind: 'sqlite', path: `${databasePath}.none` },
      }),
    );
    expect(error).to.be.instanceOf(DatabaseUnavailable);
    expect((error as DatabaseUnavailable).message).to.contain('npm run migrate');
  });

  it('is opened once another process releases its lock', async () => {
    await store.close();
    const other = new Database(databasePath);
    other.pragma('locking_mode = EXCLUSIVE');
    other.exec("update workspaces set name = ''");
    const direct = new Database(databasePath, { timeout: 0 });
    expect(() => direct.pragma('journal_mode = WAL')).to.throw('locked');
    direct.close();

    const database = { kind: 'sqlite', path: databasePath } as const;
    const opening = openStore({ database });
    setTimeout(() => other.close(), 100);
    store = await opening;
    await store.check();
    remove = async () => {
      await store.close();
      await rm(dirname(databasePath), { recursive: true });
    };
  });
});
