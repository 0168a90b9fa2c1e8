import { expect } from 'chai';
import { freeMessages, extendClaim } from '../../../db/statements/claims.ts';
import type { Store } from '../../../db/store.ts';
import { openTestApi } from '../../support/context/api.ts';
import { whenWaiting } from '../../support/context/waits.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { service } from '../../support/service.ts';

describe('claims of one mailbox', () => {
  const test = service();
  let mailboxId: string;
  /** Times of the first five messages. */
  let began: number;
  let ids: string[];
  beforeEach(async () => {
    ({ id: mailboxId } = await test.mailbox());
    began = test.context.now() - 5000;
    ids = [];
    for (let n = 0; n < 5; n += 1) ids.push(await test.receive('box', {}, began + n));
  });

  const claim = async (api = test.api) => {
    const path = '/api/mailboxes/box/messages/claim';
    const { body } = await api.post(path).send({ timeout: 0 }).expect(200);
    const [made] = (body as { claims: { id: string; messageId: string }[] }).claims;
    return made!;
  };

  for (const [what, makeFree] of [
    [
      'was released',
      async ({ id, messageId }) => {
        const path = `/api/mailboxes/box/messages/${messageId}/claim?claimId=${id}`;
        await test.api.delete(path).expect(204);
        return messageId;
      },
    ],
    [
      'has an ended lease',
      async ({ id, messageId }) => {
        await test.context.store.query(extendClaim, id, -1);
        return messageId;
      },
    ],
  ] as [string, (oldest: { id: string; messageId: string }) => Promise<string>][]) {
    it(`take an older message first that ${what}`, async () => {
      const oldest = await claim();
      expect((await claim()).messageId).to.equal(ids[1]);
      const older = await makeFree(oldest);
      expect((await claim()).messageId).to.equal(older);
      expect((await claim()).messageId).to.equal(ids[2]);
    });
  }

  it('also give a message that arrived earlier, and of which no event has told', async () => {
    for (const id of ids) expect((await claim()).messageId).to.equal(id);
    const late = await storeDirectly(test.context, mailboxId, began - 1000);
    expect((await claim()).messageId).to.equal(late);
  });

  it('read no other free message again for a claim that is released', async () => {
    const readings: number[] = [];
    const execute: Store['execute'] = (statement, parameters) => {
      if (Object.is(statement, freeMessages)) readings.push(parameters['number'] as number);
      return test.context.store.execute(statement, parameters);
    };
    const context = { ...test.context, store: { ...test.context.store, execute } };
    const api = openTestApi({ ...test, context });
    const server = await test.listen();
    const { answer } = await whenWaiting(context, server, () => ({
      answer: api
        .post('/api/mailboxes/box/messages/claim')
        .send({ match: { subject: 'awaited' }, timeout: 25 })
        .then(({ body }) => body as { outcome: string }),
    }));
    const { id, messageId } = await claim();
    const path = `/api/mailboxes/box/messages/${messageId}/claim?claimId=${id}`;
    readings.length = 0;
    await test.api.delete(path).expect(204);
    await test.receive('box', { subject: 'awaited' });
    expect((await answer).outcome).to.equal('matched');
    expect(readings.length).to.be.at.least(1);
    expect(readings.every((number) => number >= ids.length)).to.equal(true);
  });

  it('read the free messages together if made at once, and none again that is claimed', async () => {
    const readings: number[] = [];
    const execute: Store['execute'] = (statement, parameters) => {
      if (Object.is(statement, freeMessages)) readings.push(parameters['number'] as number);
      return test.context.store.execute(statement, parameters);
    };
    const store = { ...test.context.store, execute };
    const api = openTestApi({ ...test, context: { ...test.context, store } });
    const claimed = await Promise.all(ids.map(() => claim(api)));
    expect(claimed.map(({ messageId }) => messageId)).to.have.members(ids);
    expect(readings).to.have.length.below(ids.length);
    const next = await test.receive('box', {}, began + 9);
    expect((await claim(api)).messageId).to.equal(next);
    expect(readings.at(-1)).to.equal(ids.length);
  });
});
