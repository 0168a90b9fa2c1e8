import { expect } from 'chai';
import pg from 'pg';
import { service } from '../../support/service.ts';

const MESSAGES = 2000;

describe('messages of a process that sets no numbers, on PostgreSQL', () => {
  const test = service({ mailboxes: ['box'] });

  it('get them by one change of each workspace for a statement', async () => {
    const { database } = test.config;
    if (database.kind !== 'postgres') throw new Error('TEST_POSTGRES_URL is not set');
    await test.stranger();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query(
        `insert into mailboxes (id, workspace_id, name, created_at)
         select 'mbx_' || id, id, 'other', now() from workspaces`,
      );
      await client.query(
        `insert into mails (id, ingest_id, from_address, to_addresses, cc_addresses, subject, size,
           attachment_count, expires_at) values ('mal_1', 'ing_1', '', '[]', '[]', '', 0, 0, now())`,
      );
      const changes = async () => {
        const { rows } = await client.query<{ changes: string }>(
          `select pg_stat_force_next_flush(), n_tup_ins + n_tup_upd as changes
           from pg_stat_user_tables where relname = 'message_numbers'`,
        );
        return Number(rows[0]?.changes);
      };
      await changes();
      const before = await changes();
      for (const part of [1, 2]) {
        await client.query(
          `insert into messages (id, mail_id, mailbox_id, recipient, received_at, expires_at, body_bytes)
           select 'msg_' || $1 || '_' || n || workspace_id, 'mal_1', id, '', now(), now(), 0
           from generate_series(1, $2::int) as n, mailboxes where name = 'other'`,
          [String(part), MESSAGES],
        );
      }
      await changes();
      expect((await changes()) - before).to.equal(4);
      const { rows } = await client.query<Record<string, string>>(
        `select count(distinct number) as different, min(number) as first, max(number) as last,
           (select last from message_numbers where id = workspace_id) as counted
         from messages group by workspace_id`,
      );
      const all = String(2 * MESSAGES);
      const expected = { different: all, first: '1', last: all, counted: all };
      expect(rows).to.deep.equal([expected, expected]);
    } finally {
      await client.end();
    }
  });
});
