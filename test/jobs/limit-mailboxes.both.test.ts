import { expect } from 'chai';
import { recipientSource } from '../../core/directory/sources.ts';
import type { Context } from '../../core/context.ts';
import { insertIgnoring, type Store } from '../../db/store.ts';
import { removeOverMessageLimits } from '../../core/retention/limit-mailboxes.ts';
import { service } from '../support/service.ts';

const MAILBOXES = 2500;

describe('many mailboxes without work', () => {
  const test = service();

  const fill = async () => {
    const createdAt = new Date(test.context.now());
    const { workspaceId } = test.workspace;
    const rows = Array.from({ length: MAILBOXES }, (_, n) => ({
      ...{ id: `mbx_${n}`, workspaceId, name: `box-${n}`, createdAt },
      ...{ maxMessages: 1, messagesExpireIn: 60 },
    }));
    await test.context.store.transaction((tx) => insertIgnoring(tx.t.mailboxes, rows));
  };
  /** The number of statements that the work asks the database. */
  const statementsOf = async (work: (context: Context) => Promise<unknown>) => {
    let count = 0;
    const { store } = test.context;
    const counted: Store = {
      ...store,
      query: (statement, ...args) => {
        count += 1;
        return store.query(statement, ...args);
      },
    };
    await work({ ...test.context, store: counted });
    return count;
  };

  it('are looked at by a thousand for their limits', async () => {
    await fill();
    expect(await statementsOf((context) => removeOverMessageLimits(context))).to.be.at.most(6);
  });

  it('are limited among others', async () => {
    await fill();
    const at = (name: string) =>
      test.context.directory.lookup({ name, tag: null, domain: 'one.test' });
    await test.context.directory.rebuild(recipientSource(test.context.store));
    expect(await at('box-7')).to.include({ outcome: 'mailbox' });
    await test.receive('box-7', { subject: 'old' });
    test.advance(10);
    await test.receive('box-7', { subject: 'new' });
    await test.receive('box-2400', { subject: 'brief' });
    expect(await removeOverMessageLimits(test.context)).to.equal(1);
    expect((await test.messages('box-7')).map(({ subject }) => subject)).to.deep.equal(['new']);
    test.advance(60_000);
    expect(await removeOverMessageLimits(test.context)).to.equal(2);
  });

  it('are compared with the directory by a thousand', async () => {
    await fill();
    const { directory } = test.context;
    await directory.rebuild(recipientSource(test.context.store));
    const statements = await statementsOf(async ({ store }) => {
      expect(await directory.compare(recipientSource(store))).to.equal(0);
    });
    expect(statements).to.be.at.most(15);
  });
});
