import { expect } from 'chai';
import { purgeDeletedMailbox } from '../../../core/retention/purge.ts';
import { deleteMailbox } from '../../../core/mailboxes/mailboxes.ts';
import type { Context } from '../../../core/context.ts';
import { openMailWriter } from '../../../core/ingest/writer.ts';
import type { Db, DbQuery, Store, Transaction } from '../../../db/store.ts';
import { service } from '../../support/service.ts';

/** Between the reading of the mailboxes and the writing of the messages, the mailbox is purged. */
describe('a mailbox that is purged while mail for it is stored', () => {
  const test = service({ mailboxes: ['box', 'other'] });

  /** Runs `meanwhile` once, after the first statement of a transaction that stores mail. */
  const interrupt = (context: Context, meanwhile: () => Promise<unknown>) => {
    let isPending = true;
    const store: Store = {
      ...context.store,
      transaction: (body, options) =>
        context.store.transaction((tx: Db) => interrupted(body(tx)), options),
    };
    function* interrupted<Result>(body: Transaction<Result>): Transaction<Result> {
      let state = body.next();
      while (!state.done) {
        const rows = yield state.value;
        if (isPending) {
          isPending = false;
          const query = meanwhile() as unknown as DbQuery<unknown>;
          yield { kind: 'query', query };
        }
        state = body.next(rows);
      }
      return state.value;
    }
    const writer = openMailWriter(store, context.now, 86_400_000, context.metrics.mail);
    Object.assign(context.ingest, { writer });
  };
  const purge = async () => {
    const { id } = (await test.api.get('/api/mailboxes/other')).body as { id: string };
    await deleteMailbox(test.context, test.caller, 'other');
    await purgeDeletedMailbox(test.context, id);
  };

  it('is named by the request that sends', async () => {
    interrupt(test.context, purge);
    const to = ['box@one.test', 'other@one.test'];
    const { status, body } = await test.api
      .post('/api/mailboxes/box/messages')
      .send({ to, subject: 'x', text: 'x' });
    expect(status).to.equal(422);
    expect((body as { error: string }).error).to.include('"other@one.test". Nothing was sent.');
  });

  it('does not keep the text of a received mail from the other mailboxes', async () => {
    interrupt(test.context, purge);
    await test.receive(['box', 'other'], { text: 'whole' });
    expect(await test.newest('box')).to.deep.include({ text: 'whole' });
  });
});
