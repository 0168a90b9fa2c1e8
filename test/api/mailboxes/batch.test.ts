import { expect } from 'chai';
import { service } from '../../support/service.ts';

interface Mailbox {
  id: string;
  name: string;
  clientId: string | null;
  labels: Record<string, string>;
}

describe('batches of mailboxes', () => {
  const test = service({ env: { PLAN_FREE_MAILBOXES: '5', PLAN_PRO_MAILBOXES: '1000' } });
  const { api } = test;

  const post = (body: object, token?: string) => api.post('/api/mailboxes/batch', token).send(body);
  const made = async (body: object) =>
    ((await post(body).expect(201)).body as { mailboxes: Mailbox[] }).mailboxes;
  const list = async (query = '') =>
    (await api.get(`/api/mailboxes${query}`).expect(200)).body as Mailbox[];
  const outcome = async (name: string) =>
    (await test.context.directory.lookup({ name, domain: 'one.test', tag: null })).outcome;

  describe('POST /api/mailboxes/batch', () => {
    it('201: creates 100 mailboxes that accept mail', async () => {
      const boxes = await made({ count: 100, labels: { run: '1' }, expiresIn: 60 });
      expect(new Set(boxes.map(({ name }) => name)).size).to.equal(100);
      for (const { name } of boxes) expect(await outcome(name)).to.equal('mailbox');
      expect(await list('?label=run:1')).to.have.length(100);
      expect((await list()).reverse().map(({ id }) => id)).to.deep.equal(boxes.map(({ id }) => id));
    });

    it('201: in the order asked, with an existing client id in its place', async () => {
      const [known] = await made({ mailboxes: [{ clientId: 'b' }] });
      const boxes = await made({
        mailboxes: [{}, { clientId: 'b' }, { name: 'third' }, { clientId: 'd' }, { clientId: 'd' }],
      });
      expect(boxes).to.have.length(5);
      expect(boxes[1]).to.deep.equal(known);
      expect(boxes[2]).to.include({ name: 'third' });
      expect(boxes[3]).to.deep.equal(boxes[4]);
      expect(await list()).to.have.length(4);
    });

    for (const body of [{}, { count: 1, mailboxes: [{}] }, { mailboxes: [{}], labels: {} }]) {
      it(`400: ${JSON.stringify(body)}`, async () => {
        await post(body).expect(400);
      });
    }

    it('creates none if one is refused', async () => {
      await made({ mailboxes: [{ name: 'taken' }] });
      const refused: [status: number, mailboxes: object[]][] = [
        [409, [{}, { name: 'taken' }]],
        [409, [{ name: 'twice' }, { name: 'twice' }]],
        [422, [{}, { name: '!' }]],
        [422, [{}, { labels: { A: '' } }]],
      ];
      for (const [status, mailboxes] of refused) await post({ mailboxes }).expect(status);
      expect(await list()).to.have.length(1);
    });

    it('403: above the plan limit, with the number that is left', async () => {
      const token = await test.stranger('free');
      await post({ count: 2 }, token).expect(201);
      const { body } = await post({ count: 4 }, token).expect(403);
      expect(body).to.deep.include({ details: { plan: 'free', limit: 5, left: 3 } });
      await post({ count: 3 }, token).expect(201);
    });

    it('503: Redis unavailable, and nothing created', async () => {
      await test.redis.kill();
      await post({ count: 3 }).expect(503);
      expect(await list()).to.deep.equal([]);
    });
  });

  describe('DELETE /api/mailboxes?label=', () => {
    it('200: deletes those with all labels, which reject mail', async () => {
      const gone = await made({ count: 3, labels: { run: '1', kind: 'a' } });
      await made({ count: 2, labels: { run: '1' } });
      const remove = async (query: string) =>
        (await api.delete(`/api/mailboxes?${query}`).expect(200)).body as object;
      expect(await remove('label=run:1&label=kind:a')).to.deep.equal({ deleted: 3 });
      for (const { name } of gone) expect(await outcome(name)).to.equal('unknown');
      expect(await list()).to.have.length(2);
      expect(await remove('label=run:1')).to.deep.equal({ deleted: 2 });
      expect(await remove('label=run:1')).to.deep.equal({ deleted: 0 });
    });

    it('200: deletes more than one batch', async () => {
      for (let n = 0; n < 6; n += 1) await made({ count: 100, labels: { run: '1' } });
      const { body } = await api.delete('/api/mailboxes?label=run:1').expect(200);
      expect(body).to.deep.equal({ deleted: 600 });
      expect(await list()).to.deep.equal([]);
    });

    it('503: Redis unavailable, and nothing deleted', async () => {
      await made({ count: 1, labels: { run: '1' } });
      await test.redis.kill();
      await api.delete('/api/mailboxes?label=run:1').expect(503);
      expect(await list()).to.have.length(1);
    });
  });
});
