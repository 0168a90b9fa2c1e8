import { expect } from 'chai';
import { service } from '../../support/service.ts';

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
  const test = service({ env: { RATE_LIMIT_PRO: '0' }, mailboxes: ['box'] });
  const { api } = test;

  const delivered = async (raw: string) => `${BOX}/messages/${await test.receive('box', raw)}`;

  it('200: relative links, by the base of the mail', async () => {
    const html = (head: string) =>
      `Subject: Verify\r\nContent-Type: text/html\r\n\r\n${head}<a href="#top">Top</a><a href="verify?token=Zk3x9QmP7LrT2vWc8YbN">Verify your address</a><a href="mailto:a@b.test">mail</a>`;
    const path = await delivered(html('<base href="https://app.example/mail/">'));
    const { body } = await api.get(`${path}/extracted`).expect(200);
    expect(body.link).to.equal('https://app.example/mail/verify?token=Zk3x9QmP7LrT2vWc8YbN');
    expect(body.links).to.have.length(1);
    const other = await delivered(html(''));
    expect((await api.get(`${other}/extracted`).expect(200)).body.links).to.deep.equal([]);
  });

  it('200: the code, the link and the unsubscribe addresses', async () => {
    const path = await delivered(MAIL);
    const { body } = await api.get(`${path}/extracted`).expect(200);
    expect(body).to.include({
      version: 3,
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

  it('200: the text of a reply that was sent here, without what it quotes', async () => {
    const first = await delivered('From: box@one.test\r\nSubject: Lunch\r\n\r\nSee you at noon.');
    for (const part of ['text', 'html']) {
      const answer = { kind: 'reply', [part]: 'Fine.' };
      const sent = (await api.post(`${first}/reply`).send(answer).expect(201)).body;
      const path = `/api/mailboxes/box/messages/${sent.messageId}`;
      const { body } = await api.get(`${path}/extracted`).expect(200);
      expect(body.replyText, part).to.equal('Fine.');
    }
  });

  it('200: nothing, for a mail without code and links', async () => {
    const path = await delivered('From: a@b.test\r\nSubject: Lunch\r\n\r\nSee you at noon.');
    const { body } = await api.get(`${path}/extracted`).expect(200);
    expect(body).to.include({ code: null, link: null, replyText: 'See you at noon.' });
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
});
