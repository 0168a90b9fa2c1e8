/** Skipped without a server: see test/support/servers/with-postgres.ts. */
import { expect } from 'chai';
import pg from 'pg';
import { readConfig } from '../../../core/config/config.ts';
import { countLiveMailboxes, insertMailbox } from '../../../db/statements/mailboxes.ts';
import { ROOT } from '../../../core/root.ts';
import { migrateStore, openStore } from '../../../db/open.ts';
import { DatabaseUnavailable, UnstorableError } from '../../../db/errors.ts';
import { type Store, query } from '../../../db/store.ts';
import { ConnectionFailure, openConnections } from '../../../db/postgres/connections.ts';
import { allDomains, insertWorkspace } from '../../../db/statements/workspaces.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type PostgresServer, startPostgres } from '../../support/servers/postgres-server.ts';
import { rejection } from '../../support/mocha/rejection.ts';
import {
  databaseUrl,
  makeTemplate,
  openTestDatabase,
} from '../../support/context/test-database.ts';
import { searchIndexSuite } from '../search-index-suite.ts';
import { storeSuite } from '../store-suite.ts';

async function openFresh() {
  const database = await openTestDatabase();
  if (!database) throw new Error('TEST_POSTGRES_URL is not set');
  const store = await openStore(readConfig(database.env, 'migrate'));
  const remove = async () => {
    await store.close();
    await database.release();
  };
  return { store, remove };
}

describe('store on PostgreSQL', () => {
  storeSuite(openFresh);
});

describe('search index on PostgreSQL', () => {
  searchIndexSuite(openFresh, { completes: false });
});

describe('the PostgreSQL server', () => {
  let server: PostgresServer;
  let store: Store;
  let env: Record<string, string>;

  before(async () => {
    server = await startPostgres();
    await makeTemplate(server.url);
    env = { DATABASE_URL: databaseUrl(server.url, 'mayfly_template') };
  });
  beforeEach(async () => {
    store = await openStore(readConfig(env, 'migrate'));
  });
  afterEach(() => store.close());
  after(() => server.stop());

  /** Uses a separate connection. */
  const connected = async <Result>(
    use: (client: pg.Client) => Promise<Result>,
    connectionString = env.DATABASE_URL,
  ): Promise<Result> => {
    const client = new pg.Client({ connectionString });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end();
    }
  };
  const administer = (sql: string) => connected((client) => client.query(sql));
  const backends = `pid <> pg_backend_pid() and application_name = 'mayfly'`;
  /** Resolves once a statement of the store waits for a lock. */
  const waitsForLock = () =>
    eventually('a statement that waits for a lock', async () => {
      const query = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and ${backends}`;
      return (await administer(query)).rowCount === 1;
    });
  const endConnections = () =>
    administer(`select pg_terminate_backend(pid) from pg_stat_activity where ${backends}`);
  /** Locks a table until the end of `meanwhile`, so that statements of the store wait. */
  const whileLocked = (table: string, meanwhile: () => Promise<void>) =>
    connected(async (client) => {
      await client.query('begin');
      await client.query(`lock table ${table} in access exclusive mode`);
      await meanwhile();
    });
  const expectUnavailable = (error: unknown) => {
    expect(error).to.be.an.instanceof(DatabaseUnavailable);
  };

  let made = 0;
  const workspace = () => {
    made += 1;
    const name = `w${made}`;
    return { id: name, name, domain: `${name}.test`, plan: 'pro' as const, createdAt: new Date() };
  };
  const insert = (row = workspace()) => store.transaction((tx) => query(insertWorkspace(tx, row)));

  it('is available again as soon as the server is', async () => {
    await insert();
    await server.kill();
    expectUnavailable(await rejection(store.query(allDomains)));
    expectUnavailable(await rejection(insert()));
    expect(await rejection(store.check())).to.be.an.instanceof(Error);
    await server.start();
    await store.check();
    const before = (await store.query(allDomains)).length;
    await insert();
    expect(await store.query(allDomains)).to.have.length(before + 1);
  });

  it('can end idle connections without an error', async () => {
    await insert();
    await server.kill();
    await server.start();
    expect(await store.query(allDomains)).not.to.be.empty;
  });

  it('reports unavailable if the server dies while a query waits', async () => {
    for (const start of [() => store.query(allDomains), () => insert()]) {
      await whileLocked('workspaces', async () => {
        const failed = rejection(start());
        await waitsForLock();
        await server.kill();
        expectUnavailable(await failed);
      });
      await server.start();
    }
    expect(await store.query(allDomains)).not.to.be.empty;
  });

  it('reports unavailable if an administrator ends the connection (57P01)', async () => {
    await whileLocked('workspaces', async () => {
      const failed = rejection(insert());
      await waitsForLock();
      await endConnections();
      const error = await failed;
      expectUnavailable(error);
      expect(error).to.have.nested.property('cause.code', '57P01');
    });
    await insert();
  });

  it('reports unavailable if the connection ends between two statements of a transaction', async () => {
    await insert();
    const failed = rejection(
      store.transaction(function* (tx) {
        yield* query(insertWorkspace(tx, workspace()));
        yield* query(Object.assign(endConnections(), { prepare: () => undefined }));
        return yield* query(insertWorkspace(tx, workspace()));
      }),
    );
    expectUnavailable(await failed);
    await insert();
  });

  it('loses only the connection whose query times out', async () => {
    const config = { connectionString: env.DATABASE_URL, max: 1 };
    const connections = openConnections(config, 300);
    const ask = (query: string) =>
      connections.use(({ client, answer }) => answer(() => client.query(query)));
    try {
      const error = await rejection(ask('select pg_sleep(20)'));
      expect(error).to.be.an.instanceof(ConnectionFailure);
      expect((await ask('select 1')).rowCount).to.equal(1);
    } finally {
      await connections.close();
    }
  });

  it('reports unavailable if it refuses connections', async () => {
    const nobody = { DATABASE_URL: `postgres://mayfly@127.0.0.1:${await freePort()}/none` };
    const error = await rejection(openStore(readConfig(nobody, 'migrate')));
    expectUnavailable(error);
    expect(error).to.have.nested.property('cause.code', 'ECONNREFUSED');
    expectUnavailable(await rejection(migrateStore(readConfig(nobody, 'migrate'), ROOT)));
  });

  it('reports a violated constraint without the values', async () => {
    const row = { id: 'm', workspaceId: 'nobody', name: 'secret-name', createdAt: new Date() };
    const error = await rejection(
      store.transaction((tx) => query(insertMailbox(tx, { ...row, deletedAt: null }))),
    );
    expect(error).to.be.an.instanceof(UnstorableError);
    expect(String((error as Error).stack)).not.to.contain('secret-name');
  });

  it('enforces a limit under concurrent creations by retrying', async () => {
    const { id: workspaceId } = (await insert(workspace()))[0]!;
    let runs = 0;
    const create = (n: number) =>
      store.transaction(function* (tx) {
        runs += 1;
        const [live] = yield* query(countLiveMailboxes(tx, workspaceId, new Date()));
        if ((live?.count ?? 0) >= 5) return false;
        const row = { id: `m${n}`, workspaceId, name: `m${n}`, createdAt: new Date() };
        yield* query(insertMailbox(tx, { ...row, deletedAt: null }));
        return true;
      });
    // With the lock, transactions count and then wait, so that several have the same count.
    const creations = await connected(async (client) => {
      await client.query('begin');
      await client.query('lock table mailboxes in share mode');
      const started = Promise.all(Array.from({ length: 24 }, (_, n) => create(n)));
      await eventually('two transactions that wait', async () => {
        const { rowCount } = await client.query('select from pg_locks where not granted');
        return (rowCount ?? 0) >= 2;
      });
      await client.query('commit');
      return started;
    });
    expect(creations.filter(Boolean)).to.have.length(5);
    expect(runs).to.be.greaterThan(24);
  });

  it('accepts concurrent migrations', async () => {
    const name = 'migrated_by_three';
    await connected((client) => client.query(`create database ${name}`), server.url);
    const config = readConfig({ DATABASE_URL: databaseUrl(server.url, name) }, 'migrate');
    const missing = await rejection(openStore(config));
    expect(missing).to.have.property('message').that.contains('npm run migrate');
    await Promise.all([1, 2, 3].map(() => migrateStore(config, ROOT)));
    const migrated = await openStore(config);
    expect(await migrated.query(allDomains)).to.deep.equal([]);
    await migrated.close();
  });

  it('is named without its password if it is unreachable', async () => {
    const url = 'postgres://mayfly:swordfish@127.0.0.1:1/none';
    const error = await rejection(openStore(readConfig({ DATABASE_URL: url }, 'migrate')));
    expect(error).to.be.an.instanceof(DatabaseUnavailable);
    expect(String((error as Error).stack) + String((error as Error).cause)).not.to.contain(
      'swordfish',
    );
  });
});
