/**
 * Expiry on PostgreSQL beside a transaction whose snapshot keeps vacuum from removing the entries
 * of removed rows, as a dump or a replica with feedback does.
 */
import pg from 'pg';
import { openLog } from '../../../core/log.ts';
import { purgeExpired } from '../../../core/retention/purge.ts';
import { openStore } from '../../../db/open.ts';
import type { Store } from '../../../db/store.ts';
import { openTestDatabase } from '../../support/context/test-database.ts';
import type { Figure } from '../figures.ts';

/** More than 2,000 a second for five minutes. */
const MAILS = 650_000;
const FILLED_AT_ONCE = 50_000;
const DURATION_MS = 300_000;
const WINDOW_MS = 10_000;

const FILL = `
  with numbers as (
    select n, lpad(n::text, 26, '0') as name, now() - interval '1 hour' + n * interval '1 ms' as at
    from generate_series($1::int, $2::int) as n
  ), stored as (
    insert into mails (id, ingest_id, from_address, to_addresses, cc_addresses, subject, size,
      attachment_count, expires_at, text_body, raw)
    select 'mal_' || name, 'ing_' || name, 'load@bench.example', '[]', '[]', 'bench', 2048, 0, at,
      repeat('x', 200), convert_to(repeat('x', 400), 'UTF8')
    from numbers
  ), shown as (
    insert into messages (id, mail_id, mailbox_id, recipient, received_at, expires_at, body_bytes,
      number)
    select 'msg_' || name, 'mal_' || name, 'mbx_bench', 'load@bench.example', at, at, 200, n
    from numbers
  )
  insert into search_entries (id, received_at) select 'mal_' || name, at from numbers`;

export async function snapshotFigures(): Promise<Figure[]> {
  const database = await openTestDatabase();
  const url = database?.env.DATABASE_URL;
  if (!database || url === undefined) return [];
  const holder = new pg.Client({ connectionString: url });
  const store = await openStore({
    database: { kind: 'postgres', url, poolSize: 4, tls: null },
  });
  try {
    await holder.connect();
    await prepare(holder);
    await holder.query('begin isolation level repeatable read');
    await holder.query('select count(*) from workspaces');
    return figuresOf(await removeFor(store, DURATION_MS));
  } finally {
    await holder.end();
    await store.close();
    await database.release();
  }
}

async function prepare(client: pg.Client): Promise<void> {
  await client.query(`insert into workspaces (id, name, domain, plan, created_at)
    values ('wsp_bench', 'bench', 'bench.test', 'pro', now())`);
  await client.query(`insert into mailboxes (id, workspace_id, name, created_at)
    values ('mbx_bench', 'wsp_bench', 'bench', now())`);
  for (let from = 1; from <= MAILS; from += FILLED_AT_ONCE) {
    await client.query(FILL, [from, Math.min(MAILS, from + FILLED_AT_ONCE - 1)]);
  }
  await client.query('delete from search_pending');
  await client.query('vacuum analyze');
}

/** Numbers of mails removed in windows of 10 s. */
async function removeFor(store: Store, durationMs: number): Promise<number[]> {
  const began = performance.now();
  const windows: number[] = [];
  const watched: Store = {
    ...store,
    async transaction(body) {
      const result = await store.transaction(body);
      const at = performance.now() - began;
      const window = Math.floor(at / WINDOW_MS);
      const { mails } = result as { mails: number };
      windows[window] = (windows[window] ?? 0) + mails;
      if (at > durationMs) throw new Error('the time is over');
      return result;
    },
  };
  const queues = {} as Parameters<typeof purgeExpired>[0]['queues']; // no mail has a blob
  const context = {
    store: watched,
    queues,
    log: openLog({ logLevel: 'error', role: 'bench' }),
    now: Date.now,
  };
  await purgeExpired(context).catch((error: unknown) => {
    if (performance.now() - began < durationMs) throw error;
  });
  return Array.from(windows, (count) => count);
}

function figuresOf(windows: number[]): Figure[] {
  const rates = windows.slice(0, -1).map((count) => (count * 1000) / WINDOW_MS); // the last is cut
  const total = rates.reduce((sum, rate) => sum + rate, 0);
  const at = (part: number) => Math.round(rates[Math.floor((rates.length - 1) * part)] ?? 0);
  return [
    {
      work: `expiry beside a snapshot of ${(rates.length * WINDOW_MS) / 1000} s`,
      result: `${Math.round(total / rates.length)} mails/s; at first ${at(0)}, then ${at(0.25)}, ${at(0.5)}, ${at(0.75)}, at the end ${at(1)}`,
      values: { mean: total / rates.length, least: Math.min(...rates) },
    },
  ];
}
