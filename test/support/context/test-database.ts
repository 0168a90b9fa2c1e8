/**
 * The database of test contexts: SQLite, or with TEST_POSTGRES_URL a separate database on that
 * server for each context, copied from a template that was migrated once.
 */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getTableName } from 'drizzle-orm';
import pg from 'pg';
import * as z from 'zod';
import { databaseConfig, databaseVariables } from '../../../core/config/database.ts';
import { ROOT } from '../../../core/root.ts';
import { migrateStore } from '../../../db/open.ts';
import { tables as postgresTables } from '../../../db/schema/tables.postgres.ts';
import { makeTempDir } from './temp-dir.ts';

const SERVER = process.env.TEST_POSTGRES_URL;
const TEMPLATE = 'mayfly_template';

/** Whether tests run on PostgreSQL, where tests that read the SQLite file are left out. */
export const onPostgres = SERVER !== undefined;

export interface TestDatabase {
  /** Variables for a process that uses it. */
  readonly env: Record<string, string>;
  readonly release: () => Promise<void>;
}

/** Unused databases of this process: emptying one takes a tenth of the time of creating one. */
const idle: string[] = [];

/** An empty migrated database on that server; null with SQLite. */
export async function openTestDatabase(): Promise<TestDatabase | null> {
  if (SERVER === undefined) return null;
  const name = idle.pop() ?? (await makeDatabase(SERVER));
  const url = databaseUrl(SERVER, name);
  return {
    env: { DATABASE_URL: url, DATABASE_POOL_SIZE: '5' },
    release: async () => {
      const tables = Object.values(postgresTables)
        .filter((table) => table !== postgresTables.schemaVersions)
        .map((table) => getTableName(table));
      await onServer(url, `truncate ${tables.join(', ')} restart identity`);
      idle.push(name);
    },
  };
}

async function makeDatabase(server: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(server, `create database ${name} template ${TEMPLATE}`);
  return name;
}

/** Creates the template on a new server. @returns its URL. */
export async function makeTemplate(server: string): Promise<string> {
  await onServer(server, `create database ${TEMPLATE}`);
  const url = databaseUrl(server, TEMPLATE);
  const variables = z.object(databaseVariables).parse({ DATABASE_URL: url });
  await migrateStore({ database: databaseConfig(variables, '') }, ROOT);
  return url;
}

/** The URL of another database of the same server. */
export function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

let template: Promise<Buffer> | undefined;

/** Creates an empty migrated SQLite database at this path. Migrations run once per process. */
export async function makeSqliteDatabase(path: string): Promise<void> {
  template ??= sqliteTemplate();
  await writeFile(path, await template);
}

/** The file after its last connection is closed, when it has no write-ahead log. */
async function sqliteTemplate(): Promise<Buffer> {
  const folder = await makeTempDir();
  try {
    const path = join(folder.path, 'template.sqlite');
    await migrateStore({ database: { kind: 'sqlite', path } }, ROOT);
    return await readFile(path);
  } finally {
    await folder.remove();
  }
}
