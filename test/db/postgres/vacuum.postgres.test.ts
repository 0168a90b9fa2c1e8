import { expect } from 'chai';
import pg from 'pg';
import { service } from '../../support/service.ts';

describe('the tables whose rows are removed with their mail, on PostgreSQL', () => {
  const test = service();

  it('are vacuumed when a hundredth of them is dead', async () => {
    const { database } = test.config;
    if (database.kind !== 'postgres') throw new Error('TEST_POSTGRES_URL is not set');
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const { rows } = await client.query<{ relname: string }>(
        `select relname from pg_class
         where 'autovacuum_vacuum_scale_factor=0.01' = any(reloptions) and relkind = 'r' order by relname`,
      );
      expect(rows.map(({ relname }) => relname)).to.deep.equal([
        ...['attachments', 'caught_recipients', 'claims', 'deliveries', 'delivery_attempts'],
        ...['mails', 'messages', 'search_entries', 'search_pending'],
      ]);
    } finally {
      await client.end();
    }
  });
});
