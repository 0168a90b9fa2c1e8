import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import pg from 'pg';
import { ROOT } from '../../core/root.ts';
import type { DatabaseConfig } from '../../db/config.ts';
import { migrateStore, openStore } from '../../db/open.ts';
import { migratePostgres } from '../../db/postgres/store.ts';
import { migrateSqlite } from '../../db/sqlite/store.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';
import { databaseUrl } from '../support/context/test-database.ts';

const SERVER = process.env.TEST_POSTGRES_URL;
const DATABASE = 'test_old_rows';
/** Migrations before the workspaces of messages. */
const BEFORE = 15;

const ROWS = [
  `insert into workspaces (id, name, domain, plan, created_at) values
     ('wsp_1', 'one', 'one.test', 'pro', $now), ('wsp_2', 'two', 'two.test', 'pro', $now)`,
  `insert into mailboxes (id, workspace_id, name, created_at) values
     ('mbx_1', 'wsp_1', 'box', $now), ('mbx_2', 'wsp_2', 'box', $now)`,
  `insert into mails (id, ingest_id, from_address, to_addresses, cc_addresses, subject, size,
     attachment_count, expires_at) values ('mal_1', 'ing_1', '', '[]', '[]', '', 0, 0, $now)`,
];
const messages = (n: number) =>
  `insert into messages (id, mail_id, mailbox_id, recipient, received_at, expires_at, body_bytes)
   values ('msg_${n}', 'mal_1', 'mbx_1', '', $now, $now, 0),
     ('msg_${n + 1}', 'mal_1', 'mbx_2', '', $now, $now, 0)`;

describe('rows of an earlier version', () => {
  let folder: TempDir;
  let database: DatabaseConfig;

  const onServer = async (url: string, statement: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const write = async (statement: string) => {
    if (database.kind === 'postgres') {
      await onServer(database.url, statement.replaceAll('$now', 'now()'));
      return;
    }
    const connection = new Database(database.path);
    connection.exec(statement.replaceAll('$now', '1'));
    connection.close();
  };
  /** Applies the first migrations. */
  const migrateTo = async (count: number) => {
    const migrations = join(folder.path, 'migrations');
    const dialect = database.kind;
    await cp(join(ROOT, 'db/migrations', dialect), migrations, { recursive: true });
    const path = join(migrations, 'meta/_journal.json');
    const journal = JSON.parse(await readFile(path, 'utf8')) as { entries: unknown[] };
    await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }));
    if (database.kind === 'postgres') await migratePostgres(database, migrations);
    else await migrateSqlite(database.path, migrations);
  };

  beforeEach(async () => {
    folder = await makeTempDir();
    if (SERVER === undefined) {
      database = { kind: 'sqlite', path: join(folder.path, 'mayfly.sqlite') };
      return;
    }
    await onServer(SERVER, `create database ${DATABASE}`);
    database = { kind: 'postgres', url: databaseUrl(SERVER, DATABASE), tls: null, poolSize: 1 };
  });
  afterEach(async () => {
    if (SERVER !== undefined) await onServer(SERVER, `drop database ${DATABASE}`);
    await folder.remove();
  });

  it('get the workspace of their mailbox, before the migration and after it', async () => {
    await migrateTo(BEFORE);
    for (const statement of [...ROWS, messages(1)]) await write(statement);
    await migrateStore({ database }, ROOT);
    await write(messages(3));
    const store = await openStore({ database });
    const { id, workspaceId } = store.db.t.messages;
    const rows = await store.db.select({ id, workspaceId }).from(store.db.t.messages).orderBy(id);
    await store.close();
    expect(rows).to.deep.equal([
      { id: 'msg_1', workspaceId: 'wsp_1' },
      { id: 'msg_2', workspaceId: 'wsp_2' },
      { id: 'msg_3', workspaceId: 'wsp_1' },
      { id: 'msg_4', workspaceId: 'wsp_2' },
    ]);
  });
});
