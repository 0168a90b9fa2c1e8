/**
 * The PostgreSQL driver. Transactions are SERIALIZABLE, so that a body has the same meaning as on
 * SQLite, which has one writer at a time; serialization failures are retried. Those that wait in
 * turn for a row are READ COMMITTED: a SERIALIZABLE one fails when another has changed the row
 * since its start, so of two processes that store mail of one workspace all the time, one would
 * hardly ever succeed. A transaction whose connection was lost is not retried, because its commit
 * may have succeeded.
 */
import { type SQL, getTableColumns, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import pg from 'pg';
import type { PostgresConfig } from '../config.ts';
import { type Connection, connected, openConnections, watchClient } from './connections.ts';
import { requireUtf8 } from './encoding.ts';
import { retrySerialization, isUnavailable, postgresFailure } from './retry.ts';
import { openPostgresSearch } from './search-index.ts';
import type { AnyStatement, Transaction, Db, DbQuery, Step, Store, TableWithId } from '../store.ts';
import { tables } from '../schema/tables.postgres.ts';

const CONNECT_TIMEOUT_MS = 3000;
const QUERY_TIMEOUT_MS = 30_000;
const MAX_PARAMETERS = 60_000;
const HAS_TABLE = 'select to_regclass($1) is not null as there';
/** An arbitrary number, the same for all processes that migrate one database. */
const MIGRATION_LOCK = 6_294_311;

/** A prepared Drizzle query of this driver. */
interface Prepared {
  execute: (parameters?: object) => Promise<unknown>;
}

/** One connection or the pool, with the statements prepared on it. */
interface Handle {
  db: Db;
  statements: Map<string, Prepared>;
}

/**
 * Opens a migrated database.
 * @throws {DatabaseUnavailable} if it is unreachable, or its encoding is not UTF8.
 */
export async function openPostgres(config: PostgresConfig): Promise<Store> {
  const connections = openConnections(
    { ...clientConfig(config), max: config.poolSize },
    QUERY_TIMEOUT_MS,
  );
  const handles = new WeakMap<pg.PoolClient, Handle>();
  const handleOn = ({ client }: Connection) => {
    const handle = handles.get(client) ?? handleOf(client);
    handles.set(client, handle);
    return handle;
  };

  const inTransaction = <Result>(
    body: (tx: Db) => Transaction<Result>,
    isolation: 'SERIALIZABLE' | 'READ COMMITTED',
  ): Promise<Result> =>
    connections.use(async (connection) => {
      const { client, answer, discard } = connection;
      const handle = handleOn(connection);
      try {
        await answer(() => client.query(`BEGIN ISOLATION LEVEL ${isolation}`));
        const result = await runBody(body(handle.db), (step) =>
          answer(() => runStep(step, handle)),
        );
        await answer(() => client.query('COMMIT'));
        return result;
      } catch (error) {
        await answer(() => client.query('ROLLBACK')).catch(discard);
        throw error;
      }
    });

  /**
   * The pool can return a connection that has ended since, so a read is retried on another
   * connection.
   */
  const onConnection = async <Rows>(
    query: (connection: Connection) => PromiseLike<Rows>,
  ): Promise<Rows> => {
    const once = () => connections.use((connection) => connection.answer(() => query(connection)));
    try {
      return await once().catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
        return once();
      });
    } catch (error) {
      throw postgresFailure(error);
    }
  };

  try {
    await requireUtf8((text) => onConnection(({ client }) => client.query(text)));
  } catch (error) {
    await connections.close();
    throw error;
  }

  const read = <Rows>(query: (handle: Handle) => PromiseLike<Rows>): Promise<Rows> =>
    onConnection((connection) => query(handleOn(connection)));

  return {
    db: handleOf(connections.pool).db,
    batchMs: 250,
    search: openPostgresSearch((text, values) =>
      onConnection(async ({ client }) => (await client.query<never>(text, values)).rows),
    ),
    query: (statement, ...args) => read(({ db }) => statement(db, ...args)),
    execute: async <Rows>(statement: AnyStatement, parameters: object) =>
      (await read((handle) => runStatement(handle, statement, parameters))) as Rows,
    transaction: (body, { inTurn } = { inTurn: false }) =>
      retrySerialization(() => inTransaction(body, inTurn ? 'READ COMMITTED' : 'SERIALIZABLE')),
    // Autovacuum of the server does this.
    releaseSpace: async () => ({ count: 0, heldMs: 0 }),
    hasTable: (name) =>
      onConnection(async ({ client }) => {
        const { rows } = await client.query<{ there: boolean }>(HAS_TABLE, [name]);
        return rows[0]?.there ?? false;
      }),
    check: async () => {
      await connections.use(({ client, answer }) => answer(() => client.query('select 1')));
    },
    close: connections.close,
  };
}

/** Migrates the database to the current schema. Concurrent calls wait for each other. */
export async function migratePostgres(
  config: PostgresConfig,
  migrationsFolder: string,
): Promise<void> {
  const client = new pg.Client({ ...clientConfig(config), statement_timeout: 0 });
  const { answer } = watchClient(client, 0);
  try {
    await connected(() => client.connect());
    await requireUtf8((text) => answer(() => client.query(text)));
    await answer(() => client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]));
    await answer(() => migrate(drizzle(client), { migrationsFolder }));
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
    statement_timeout: QUERY_TIMEOUT_MS,
    idle_in_transaction_session_timeout: QUERY_TIMEOUT_MS,
  };
}

function handleOf(client: pg.Pool | pg.PoolClient): Handle {
  const orm = drizzle(client);
  const db = Object.assign(orm as unknown as Omit<Db, keyof Own>, own);
  return { db, statements: new Map() };
}

function clock(laterMs: SQL = sql`0`): SQL {
  return sql`(now() + ${laterMs} * interval '1 millisecond')`;
}

function among(column: SQLiteColumn, values: readonly string[]): SQL {
  const encoded = values.map((value) => column.mapToDriverValue(value));
  return sql`${column} = any(${sql.param(encoded)}::text[])`;
}

const own = { t: tables, clock, among };
type Own = typeof own;

async function runBody<Result>(
  body: Transaction<Result>,
  run: (step: Step) => Promise<unknown>,
): Promise<Result> {
  let state = body.next();
  while (!state.done) state = body.next(await run(state.value));
  return state.value;
}

async function runStep(step: Step, handle: Handle): Promise<unknown> {
  switch (step.kind) {
    case 'query':
      return step.query;
    case 'statement':
      return runStatement(handle, step.statement, step.parameters);
    case 'insertIgnoring':
      return insertIgnoring(handle.db, step.table, step.rows);
  }
}

function runStatement(
  { db, statements }: Handle,
  { name, build }: AnyStatement,
  parameters: object,
): Promise<unknown> {
  let prepared = statements.get(name);
  if (!prepared) {
    prepared = (build(db) as DbQuery<unknown> & { prepare: (name: string) => unknown }).prepare(
      name,
    ) as Prepared;
    statements.set(name, prepared);
  }
  return prepared.execute(parameters);
}

/** Inserts many rows per statement: each statement is a round trip. */
async function insertIgnoring(db: Db, table: TableWithId, rows: object[]): Promise<Set<string>> {
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
