import { expect } from 'chai';
import { createWorkspace } from '../../../core/workspaces/workspaces.ts';
import { type TestApi, openTestApi } from '../../support/context/api.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';
import { deliverMail } from '../../support/context/deliver.ts';

const BOX = '/api/mailboxes/box';
const MAIL = [
  'From: Shop <hello@shop.example>',
  'Subject: Your code',
  'List-Unsubscribe: <https://shop.example/u/1>,\r\n <mailto:leave@shop.example>',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Your verification code is 482 913. Order number: 771204',
  '',
  'Verify your address: https://shop.example/verify?t=Zk3x9QmP7LrT2vWc8YbN',
].join('\r\n');

describe('GET /api/mailboxes/{name}/messages/{id}/extracted', () => {
  let test: TestContext;
  let api: TestApi;

  beforeEach(async () => {
    test = await openTestContext({ RATE_LIMIT_PRO: '0' });
    api = openTestApi(test);
    await api.post('/api/mailboxes').send({ name: 'box' }).expect(201);
  });
  afterEach(() => test.close());

  const delivered = async (raw: string) => {
    const mail = await deliverMail(test.context, ['box@one.test'], raw);
    return `${BOX}/messages/${mail.messages[0]!.id}`;
  };

  it('200: the code, the link and the unsubscribe addresses', async () => {
    const path = await delivered(MAIL);
    const { body } = await api.get(`${path}/extracted`).expect(200);
    expect(body).to.include({
      version: 1,
      code: '482913',
      link: 'https://shop.example/verify?t=Zk3x9QmP7LrT2vWc8YbN',
      truncated: false,
    });
    expect(body.codes[0]).to.include({ display: '482 913', source: 'text' });
    expect(body.rejected).to.deep.equal([{ value: '771204', reason: 'reference' }]);
    expect(body.links[0]).to.include({ kind: 'verify', sameDomain: true });
    expect(body.unsubscribe).to.deep.equal({
      header: ['https://shop.example/u/1'],
      mailto: ['mailto:leave@shop.example'],
      oneClick: true,
      body: [],
      problems: [],
    });
  });

  it('200: nothing, for a mail without code and links', async () => {
    const path = await delivered('From: a@b.test\r\nSubject: Lunch\r\n\r\nSee you at noon.');
    const { body } = await api.get(`${path}/extracted`).expect(200);
    expect(body).to.include({ code: null, link: null });
    expect([body.codes, body.rejected, body.links]).to.deep.equal([[], [], []]);
  });

  it('200: the unsubscribe addresses of a mail in the blob store', async () => {
    const path = await delivered(`${MAIL}\r\n${'x'.repeat(1_100_000)}`);
    const { body } = await api.get(`${path}/extracted`).expect(200);
    expect(body.unsubscribe.oneClick).to.equal(true);
    expect(body).to.include({ code: '482913', truncated: true });
  });

  it('200 again from the cache, and 404 once the message is deleted', async () => {
    const path = await delivered(MAIL);
    const first = await api.get(`${path}/extracted`).expect(200);
    const second = await api.get(`${path}/extracted`).expect(200);
    expect(second.body).to.deep.equal(first.body);
    await api.delete(path).expect(204);
    await api.get(`${path}/extracted`).expect(404);
  });

  for (const part of ['extracted', 'event']) {
    it(`400, 401 and 404, also of .../${part}`, async () => {
      const path = await delivered(MAIL);
      const { token } = await createWorkspace(test.context, {
        name: 'o',
        domain: 'o.test',
        plan: 'pro',
      });
      await api.get(`${path}/${part}?verbose=true`).expect(400);
      await api.get(`${path}/${part}`, null).expect(401);
      await api.get(`${path}/${part}`, token).expect(404);
      await api.get(`${BOX}/messages/msg_none/${part}`).expect(404);
    });
  }
});
