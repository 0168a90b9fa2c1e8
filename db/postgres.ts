/**
 * The PostgreSQL driver: a pool of connections. Transactions are SERIALIZABLE, so that a body means the same as on
 * SQLite, where one writes at a time: what PostgreSQL then refuses for running beside another it runs again. What
 * failed with its connection is not run again, since nobody knows whether its commit was the last thing to arrive.
 */
import { getTableColumns } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import type { PostgresConfig } from '../core/config-database.js';
import { AppError } from '../core/errors.js';
import { besideOthers, isAway, postgresFailure } from './postgres-patience.js';
import type { AnyStatement, Body, Db, Query, Step, Store, TableWithId } from './store.js';
import { tables } from './tables.postgres.js';

const CONNECT_TIMEOUT_MS = 3000;
const QUERY_TIMEOUT_MS = 30_000;
const MAX_PARAMETERS = 60_000;
/** Any number will do; all that migrate one database take the same. */
const MIGRATION_LOCK = 6_294_311;

/** The prepared form of a Drizzle query on this driver. */
interface Prepared {
  execute: (parameters?: object) => Promise<unknown>;
}

/** One connection, or the pool of them, with the statements prepared on it. */
interface Handle {
  db: Db;
  statements: Map<string, Prepared>;
}

/** Opens the database, which must have been migrated. @throws {AppError} `unavailable`. */
export async function openPostgres(config: PostgresConfig): Promise<Store> {
  const pool = new pg.Pool({ ...clientConfig(config), max: config.poolSize });
  const pooled = handleOf(pool);
  const handles = new WeakMap<pg.PoolClient, Handle>();
  // A connection that ends while nobody uses it, or between two queries, is no reason to end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  const inTransaction = async <Result>(body: (tx: Db) => Body<Result>): Promise<Result> => {
    const client = await pool.connect();
    let isBroken = false;
    try {
      const handle = handles.get(client) ?? handleOf(client);
      handles.set(client, handle);
      await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
      const result = await runBody(body(handle.db), handle);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      isBroken = isAway(error) || !(await rolledBack(client));
      throw error;
    } finally {
      client.release(isBroken);
    }
  };

  const store: Store = {
    db: pooled.db,
    ask: async (statement, ...args) => {
      try {
        return await again(() => statement(pooled.db, ...args));
      } catch (error) {
        throw postgresFailure(error);
      }
    },
    read: async <Rows>(statement: AnyStatement, parameters: object) => {
      try {
        return (await again(() => runStatement(pooled, statement, parameters))) as Rows;
      } catch (error) {
        throw postgresFailure(error);
      }
    },
    transaction: (body) => besideOthers(() => inTransaction(body)),
    // PostgreSQL sees to its own space.
    releaseSpace: async () => ({ count: 0, heldMs: 0 }),
    check: async () => {
      await pool.query('select 1');
    },
    close: () => pool.end(),
  };
  try {
    await requireMigrated(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return store;
}

/** Brings the database to the newest schema. Those who ask at the same time wait for each other. */
export async function migratePostgres(
  config: PostgresConfig,
  migrationsFolder: string,
): Promise<void> {
  const client = new pg.Client({ ...clientConfig(config), query_timeout: 0, statement_timeout: 0 });
  try {
    await client.connect();
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await migrate(drizzle(client), { migrationsFolder });
  } catch (error) {
    throw postgresFailure(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function clientConfig({ url, tls }: PostgresConfig): pg.ClientConfig {
  return {
    connectionString: url,
    ...(tls === null ? {} : { ssl: tls }),
    application_name: 'mayfly',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    statement_timeout: QUERY_TIMEOUT_MS,
    idle_in_transaction_session_timeout: QUERY_TIMEOUT_MS,
  };
}

function handleOf(client: pg.Pool | pg.PoolClient): Handle {
  const orm = drizzle(client);
  const db = Object.assign(orm as unknown as Omit<Db, 't'>, { t: tables }) as Db;
  return { db, statements: new Map() };
}

async function requireMigrated(pool: pg.Pool): Promise<void> {
  let rows: { there: boolean }[];
  try {
    ({ rows } = await pool.query<{ there: boolean }>(
      `select to_regclass('public.instances') is not null as there`,
    ));
  } catch (error) {
    throw postgresFailure(error);
  }
  if (!rows[0]?.there) {
    throw new AppError('unavailable', 'the database was never migrated: run npm run migrate');
  }
}

/** A pool may hand out a connection that has ended meanwhile: a read is simply made on another. */
async function again<Result>(read: () => PromiseLike<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!isAway(error)) throw error;
    return read();
  }
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

async function runBody<Result>(body: Body<Result>, handle: Handle): Promise<Result> {
  let state = body.next();
  while (!state.done) state = body.next(await runStep(state.value, handle));
  return state.value;
}

async function runStep(step: Step, handle: Handle): Promise<unknown> {
  switch (step.kind) {
    case 'query':
      return step.query;
    case 'statement':
      return runStatement(handle, step.statement, step.parameters);
    case 'insertNew':
      return insertNew(handle.db, step.table, step.rows);
  }
}

function runStatement(
  { db, statements }: Handle,
  { name, build }: AnyStatement,
  parameters: object,
): Promise<unknown> {
  let prepared = statements.get(name);
  if (!prepared) {
    prepared = (build(db) as Query<unknown> & { prepare: (name: string) => unknown }).prepare(
      name,
    ) as Prepared;
    statements.set(name, prepared);
  }
  return prepared.execute(parameters);
}

/** Many rows a statement: each is a round trip. */
async function insertNew(db: Db, table: TableWithId, rows: object[]): Promise<Set<string>> {
  const size = Math.floor(MAX_PARAMETERS / Object.keys(getTableColumns(table)).length);
  const inserted = new Set<string>();
  for (let at = 0; at < rows.length; at += size) {
    const added = await db
      .insert(table)
      .values(rows.slice(at, at + size) as TableWithId['$inferInsert'][])
      .onConflictDoNothing()
      .returning({ id: table.id });
    for (const { id } of added as { id: string }[]) inserted.add(id);
  }
  return inserted;
}
