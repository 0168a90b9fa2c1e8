import { expect } from 'chai';
import supertest from 'supertest';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { service } from '../../support/service.ts';

const STORED = 1001;

/** Each list of the interfaces is asked for one more than it shows. */
describe('the limits of lists of other mail catchers', () => {
  const test = service({ mailboxes: ['box'], once: true });
  const ask = async (path: string) => {
    const answer = await supertest(test.api.app)
      .get(`/compat${path}`)
      .auth('box', test.workspace.token);
    expect(answer.status, path).to.equal(200);
    return answer.body;
  };
  const subjects = (body: { messages: { Subject: string }[] }) =>
    body.messages.map(({ Subject }) => Subject);
  /** The subjects from the n-th message, the newest being the first. */
  const expected = (start: number, count: number) =>
    Array.from({ length: count }, (_, n) => `${STORED - 1 - start - n}`);

  const now = performance.now.bind(performance);
  after(() => {
    performance.now = now;
  });
  before(async () => {
    const began = performance.now();
    performance.now = () => began; // the time of no search ends
    const { context, caller } = test;
    const { id } = await requireMailbox(context, caller, 'box');
    const base = context.now() - STORED;
    const store = (n: number) => storeDirectly(context, id, base + n, 'some words', `${n}`);
    await Promise.all(Array.from({ length: STORED }, (_, n) => store(n)));
  });

  for (const path of ['messages?', 'search?query=words&']) {
    it(`pages of Mailpit have up to 500 messages: ${path}`, async () => {
      for (const limit of [1, 100, 101, 499, 500]) {
        const body = await ask(`/mailpit/api/v1/${path}limit=${limit}`);
        expect(subjects(body), `${limit}`).to.deep.equal(expected(0, limit));
        expect(body).to.include({ count: limit, messages_count: STORED, total: STORED });
      }
      const most = await ask(`/mailpit/api/v1/${path}limit=501`);
      expect(subjects(most)).to.deep.equal(expected(0, 500));
      const last = await ask(`/mailpit/api/v1/${path}start=1000&limit=501`);
      expect(subjects(last)).to.deep.equal(expected(1000, 1));
    });
  }

  it('pages of MailHog have up to 50 messages', async () => {
    for (const path of ['messages?', 'search?kind=from&query=elsewhere&']) {
      for (const [limit, count] of [
        [50, 50],
        [51, 50],
      ]) {
        const body = await ask(`/mailhog/api/v2/${path}limit=${limit}`);
        expect(body).to.include({ total: STORED, count });
        expect(body.items).to.have.length(50);
      }
      const last = await ask(`/mailhog/api/v2/${path}start=1000&limit=50`);
      expect(last).to.include({ count: 1 });
    }
    expect(await ask('/mailhog/api/v1/messages')).to.have.length(50);
  });

  it('deletions by id and by search delete more than 1,000 messages', async () => {
    const ids: string[] = [];
    for (const start of [0, 500, 1000]) {
      const { messages } = await ask(`/mailpit/api/v1/messages?limit=500&start=${start}`);
      for (const { ID } of messages as { ID: string }[]) ids.push(ID);
    }
    const send = (path: string) =>
      supertest(test.api.app)
        .delete(`/compat/mailpit/api/v1/${path}`)
        .auth('box', test.workspace.token);
    await send('search?query=-subject:77').expect(200, 'ok');
    const { messages: kept } = await ask('/mailpit/api/v1/messages');
    const numbers = Array.from({ length: STORED }, (_, n) => `${n}`);
    const are77 = numbers.filter((each) => each.includes('77')).reverse();
    expect(subjects({ messages: kept })).to.deep.equal(are77);
    await send('messages').send({ IDs: ids }).expect(200, 'ok');
    expect((await ask('/mailpit/api/v1/messages')).total).to.equal(0);
  });
});
