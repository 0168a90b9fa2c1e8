import { expect } from 'chai';
import pg from 'pg';
import { ROOT } from '../../../core/root.ts';
import { messageOf } from '../../../db/errors.ts';
import { migrateStore, openStore } from '../../../db/open.ts';
import { service } from '../../support/service.ts';

const ENCODINGS = ['LATIN1', 'WIN1251', 'EUC_JP', 'SQL_ASCII'];

describe('a PostgreSQL database in another encoding than UTF8', () => {
  const test = service();

  for (const encoding of ENCODINGS) {
    it(`is refused by migration and start: ${encoding}`, async () => {
      const { database } = test.config;
      if (database.kind !== 'postgres') throw new Error('TEST_POSTGRES_URL is not set');
      const name = `mayfly_${encoding.toLowerCase()}`;
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      try {
        await client.query(
          `create database ${name} encoding '${encoding}' template template0 lc_collate 'C' lc_ctype 'C'`,
        );
        const url = new URL(database.url);
        url.pathname = name;
        const other = { database: { ...database, url: url.href } };
        for (const start of [() => migrateStore(other, ROOT), () => openStore(other)]) {
          const refused = await start().then(
            () => 'accepted',
            (error: unknown) => messageOf(error),
          );
          expect(refused).to.include(`has the encoding ${encoding}. Mayfly needs UTF8`);
        }
      } finally {
        await client.query(`drop database if exists ${name}`);
        await client.end();
      }
    });
  }
});
