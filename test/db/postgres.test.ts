/** Runs where there is a server: see test/support/with-postgres.ts. */
import { expect } from 'chai';
import pg from 'pg';
import { readConfig } from '../../core/config.js';
import { AppError } from '../../core/errors.js';
import { countLiveMailboxes, insertMailbox } from '../../db/mailboxes.js';
import { migrateStore, openStore } from '../../db/open.js';
import { type Store, Refused, step } from '../../db/store.js';
import { allDomains, insertWorkspace } from '../../db/workspaces.js';
import { type PostgresServer, startPostgres } from '../support/postgres-server.js';
import { rejection } from '../support/rejection.js';
import { databaseUrl, makeTemplate, openTestDatabase } from '../support/test-database.js';
import { storeSuite } from './store-suite.js';

async function openFresh() {
  const database = await openTestDatabase();
  if (!database) throw new Error('TEST_POSTGRES_URL names no server');
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

  let made = 0;
  const workspace = () => {
    made += 1;
    const name = `w${made}`;
    return { id: name, name, domain: `${name}.test`, plan: 'pro' as const, createdAt: new Date() };
  };
  const insert = (row = workspace()) => store.transaction((tx) => step(insertWorkspace(tx, row)));

  it('is back for its callers as soon as it is back itself', async () => {
    await insert();
    await server.kill();
    expect(await rejection(store.ask(allDomains))).to.be.an.instanceof(AppError);
    expect(await rejection(insert())).to.be.an.instanceof(AppError);
    expect(await rejection(store.check())).to.be.an.instanceof(Error);
    await server.start();
    await store.check();
    const before = (await store.ask(allDomains)).length;
    await insert();
    expect(await store.ask(allDomains)).to.have.length(before + 1);
  });

  it('may have ended every connection meanwhile, which nobody notices', async () => {
    await insert();
    await server.kill();
    await server.start();
    expect(await store.ask(allDomains)).not.to.be.empty;
  });

  it('tells of a broken constraint without what was to be written', async () => {
    const row = { id: 'm', workspaceId: 'nobody', name: 'secret-name', createdAt: new Date() };
    const error = await rejection(
      store.transaction((tx) => step(insertMailbox(tx, { ...row, deletedAt: null }))),
    );
    expect(error).to.be.an.instanceof(Refused);
    expect(String((error as Error).stack)).not.to.contain('secret-name');
  });

  it('keeps a limit under many creations at once, running again what it refused', async () => {
    const { id: workspaceId } = (await insert(workspace()))[0]!;
    let runs = 0;
    const create = (n: number) =>
      store.transaction(function* (tx) {
        runs += 1;
        const [live] = yield* step(countLiveMailboxes(tx, workspaceId));
        if ((live?.count ?? 0) >= 5) return false;
        const row = { id: `m${n}`, workspaceId, name: `m${n}`, createdAt: new Date() };
        yield* step(insertMailbox(tx, { ...row, deletedAt: null }));
        return true;
      });
    const made = await Promise.all(Array.from({ length: 24 }, (_, n) => create(n)));
    expect(made.filter(Boolean)).to.have.length(5);
    expect(runs).to.be.greaterThan(24);
  });

  it('takes migrations from several at once', async () => {
    const name = 'migrated_by_three';
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    const config = readConfig({ DATABASE_URL: databaseUrl(server.url, name) }, 'migrate');
    const missing = await rejection(openStore(config));
    expect(missing).to.have.property('message').that.contains('npm run migrate');
    await Promise.all([1, 2, 3].map(() => migrateStore(config)));
    const migrated = await openStore(config);
    expect(await migrated.ask(allDomains)).to.deep.equal([]);
    await migrated.close();
  });

  it('is named without its password where it cannot be reached', async () => {
    const url = 'postgres://mayfly:swordfish@127.0.0.1:1/none';
    const error = await rejection(openStore(readConfig({ DATABASE_URL: url }, 'migrate')));
    expect(error).to.be.an.instanceof(AppError);
    expect(String((error as Error).stack) + String((error as Error).cause)).not.to.contain(
      'swordfish',
    );
  });
});
