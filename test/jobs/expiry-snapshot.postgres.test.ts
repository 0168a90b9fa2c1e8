import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { purgeExpired } from '../../core/retention/purge.ts';
import { openStore } from '../../db/open.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { service } from '../support/service.ts';

const MAILS = 3000;

describe('expiry on PostgreSQL', () => {
  const test = service();

  it('reads the index entries of removed mails once, while a snapshot keeps them', async () => {
    const { database } = test.config;
    const connectionString = database.kind === 'postgres' ? database.url : '';
    const [holder, watcher] = [0, 1].map(() => new pg.Client({ connectionString }));
    await Promise.all([holder!.connect(), watcher!.connect()]);
    try {
      await holder!.query(
        `insert into mails (id, ingest_id, from_address, to_addresses, cc_addresses, subject, size,
           attachment_count, expires_at)
         select 'mal_' || n, 'ing_' || n, '', '[]', '[]', '', 0, 0, now() - n * interval '1 ms'
         from generate_series(1, $1::int) as n`,
        [MAILS],
      );
      await holder!.query('analyze mails');
      const read = async () => {
        const { rows } = await watcher!.query<{ read: string }>(
          `select idx_tup_read as read from pg_stat_user_indexes
           where indexrelname = 'mails_by_expiry'`,
        );
        return Number(rows[0]?.read);
      };
      const before = await read();
      await holder!.query('begin isolation level repeatable read');
      await holder!.query('select count(*) from workspaces');
      const store = await openStore(test.config);
      expect(await purgeExpired({ ...test.context, store })).to.equal(MAILS);
      await store.close(); // its connections report what they read
      await eventually('the reports', async () => (await read()) >= before + MAILS);
      await delay(100);
      expect((await read()) - before).to.be.below(3 * MAILS);
    } finally {
      await Promise.all([holder!.end(), watcher!.end()]);
    }
  });
});
