import Database from 'better-sqlite3';
import { expect } from 'chai';
import { messagesOfMailboxes } from '../../../db/statements/search.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { service } from '../../support/service.ts';

const MESSAGES = 400;
const LIMIT = 10;

describe('a page of the messages of a few mailboxes on SQLite', () => {
  const test = service();

  it('reads at most the limit of each mailbox, twice', async () => {
    const { context, config } = test;
    const ids = [(await test.mailbox('one')).id, (await test.mailbox('two')).id];
    const now = context.now();
    for (let n = 0; n < MESSAGES; n += 1) await storeDirectly(context, ids[n % 2] ?? '', now - n);
    if (config.database.kind !== 'sqlite') throw new Error('this test is for SQLite');
    const connection = new Database(config.database.path);
    try {
      let read = 0;
      connection.function('read', (value) => {
        read += 1;
        return value;
      });
      const before = { receivedAt: new Date(now + 1), id: '' };
      const slice = { from: new Date(0), before, now: new Date(now) };
      const query = messagesOfMailboxes(context.store.db, ids, slice, LIMIT).toSQL();
      const counted = query.sql.replaceAll(
        '"messages"."expires_at"',
        'read("messages"."expires_at")',
      );
      expect(connection.prepare(counted).all(query.params)).to.have.length(LIMIT);
      expect(read).to.be.within(LIMIT, 2 * ids.length * LIMIT);
    } finally {
      connection.close();
    }
  });
});
