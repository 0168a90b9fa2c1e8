import { expect } from 'chai';
import { service } from '../../support/service.ts';

interface Parts {
  code?: string;
  token?: string;
  day?: string;
  boundary?: string;
  subject?: string;
  to?: string;
  html?: string;
}

/** A sign-up mail as one version of an application sends it. */
const mail = ({
  code = '482913',
  token = 'Zk3x9QmP7LrT2vWc8YbN',
  day = '26',
  boundary = 'one',
  subject = 'Your Acme code',
  to = 'user@shop.example',
  html = '<table border=0 width="100%"><tr><td>Hello</td></tr></table>',
}: Parts = {}) =>
  [
    `Received: from a (a [192.0.2.${day}]) by b; Thu, ${day} Nov 2026 03:50:12 +0000`,
    `Message-ID: <${token}@shop.example>`,
    `References: <${token}.1@shop.example> <${token}.2@shop.example>`,
    `Date: Thu, ${day} Nov 2026 03:50:12 +0000`,
    'From: Acme <hello@shop.example>',
    `To: ${to}`,
    `Subject: ${subject} ${code}`,
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    `Your verification code is ${code}. Sent on November ${day}, 2026 at 3:50 PM.`,
    `Verify your address: https://shop.example/verify/${token}?t=${token}&lang=en#${token}`,
    `Order 0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4${day}5 of ${day}.11.2026, am ${day}. noviembre 2026.`,
    `--${boundary}`,
    'Content-Type: text/html; charset=utf-8',
    '',
    `<p>Your verification code is <b>${code}</b></p>${html}<!-- ${token} -->`,
    `<a href="https://shop.example/verify/${token}?t=${token}&amp;lang=en">Verify your address</a>`,
    `--${boundary}--`,
    '',
  ].join('\r\n');

const LATER = { code: '771204', token: 'Bk7w4RnQ2MsU9xYd3ZcP', day: '27', boundary: 'other' };

describe('GET /api/mailboxes/:name/messages/:id/diff', () => {
  const test = service({ mailboxes: ['old', 'new'] });
  const { api, receive } = test;

  const compare = (id: string, other: string, name = 'old') =>
    api.get(`/api/mailboxes/${name}/messages/${id}/diff?with=${other}`);
  const diffOf = async (first: Parts, second: Parts) => {
    const [one, two] = [await receive('old', mail(first)), await receive('new', mail(second))];
    const { body } = await compare(one, `new/${two}`).expect(200);
    return body as { identical: boolean; diff: string };
  };

  it('200: identical but for codes, dates, ids, parameters of links and boundaries', async () => {
    const same = await diffOf({}, LATER);
    expect(same.diff).to.equal('');
    expect(same.identical).to.equal(true);
  });

  it('200: identical in another order of header fields and attributes, and other whitespace', async () => {
    const [one, two] = [
      'Subject: a\r\nX-B: b\r\nx-a: a\r\nContent-Type: text/html\r\n\r\n<p id="a"  class="b">Hello\r\n again</p><br>',
      'X-A: a\r\nContent-Type: text/html\r\nX-B: b\r\nSubject: a\r\n\r\n<P class=b id=a>\r\nHello again\r\n</P>\r\n<br />',
    ];
    const [first, second] = [await receive('old', one), await receive('old', two)];
    expect((await compare(first, second).expect(200)).body.identical).to.equal(true);
  });

  it('200: a unified diff of what differs', async () => {
    const other = { ...LATER, subject: 'Your new code', to: 'other@shop.example' };
    const { identical, diff } = await diffOf({}, { ...other, html: '<div>Hello</div>' });
    expect(identical).to.equal(false);
    const changed = diff.split('\n').filter((line) => /^[-+](?![-+])/.test(line));
    expect(changed).to.deep.equal([
      '-subject: Your Acme code <code>',
      '-to: user@shop.example',
      '+subject: Your new code <code>',
      '+to: other@shop.example',
      '-<table border="0" width="100%">',
      '-<tr>',
      '-<td>',
      '+<div>',
      '-</td>',
      '-</tr>',
      '-</table>',
      '+</div>',
    ]);
    expect(diff).to.match(/^--- msg_\w+\n\+\+\+ msg_\w+\n@@ -\d+,\d+ \+\d+,\d+ @@\n/);
    expect(diff).to.include('\n references: <id> <id>\n');
  });

  it('200: other fields, parameters and attachments are compared', async () => {
    const link = (query: string) => `Subject: a\r\n\r\nhttps://shop.example/a?${query}`;
    const [one, two] = [await receive('old', link('t=1')), await receive('old', link('u=1'))];
    expect((await compare(one, two).expect(200)).body.diff).to.include(
      '-https://shop.example/a?t=<value>\n+https://shop.example/a?u=<value>\n',
    );
    const file = (name: string) => ({
      text: 'x',
      parts: [`Content-Type: image/png; name=${name}\n\nx`],
    });
    const [three, four] = [
      await receive('old', file('a.png')),
      await receive('old', file('b.png')),
    ];
    expect((await compare(three, four).expect(200)).body.diff).to.include(
      '+b.png (image/png, 1 bytes)',
    );
  });

  it('200: the other message by its id alone, or with name or address of its mailbox', async () => {
    const [one, two] = [await receive('old', mail()), await receive('new', mail(LATER))];
    for (const other of [two, `new/${two}`, `NEW@one.test/${two}`, `new+tag@one.test/${two}`]) {
      expect((await compare(one, other).expect(200)).body.identical, other).to.equal(true);
    }
    const sent = await test.send('old', { to: ['new@one.test'], subject: 'a', text: 'b' });
    expect((await compare(sent, `new/${sent}`, 'new').expect(200)).body.identical).to.equal(true);
  });

  it('200: long mails without anything in common, in bounded time and size', async () => {
    const long = (word: string) =>
      `Subject: a\r\n\r\n${Array.from({ length: 9000 }, (_, n) => `${word} ${'x'.repeat(n % 97)}`).join('\r\n')}`;
    const [one, two] = [await receive('old', long('one')), await receive('old', long('two'))];
    const began = process.cpuUsage();
    const { body } = await compare(one, two).expect(200);
    expect(process.cpuUsage(began).user / 1000).to.be.below(3000);
    expect(body.diff).to.match(/^--- .+\n\+\+\+ .+\n@@ -1,\d+ \+1,\d+ @@\n-\[header\]\n/);
    expect(body.diff.length).to.be.at.most(262_144 + 100);
    expect(body.diff).to.match(/\n\\ The diff is longer and ends here\.\n$/);
  });

  it('200: HTML of many elements inside each other, in bounded time', async () => {
    const nested = { html: '<b>'.repeat(85_000) };
    const [one, two] = [await receive('old', nested), await receive('new', nested)];
    const began = process.cpuUsage();
    expect((await compare(one, `new/${two}`).expect(200)).body.identical).to.equal(true);
    expect(process.cpuUsage(began).user / 1000).to.be.below(3000);
  });

  it('400: "with" is missing or no id', async () => {
    const id = await receive('old', mail());
    await api.get(`/api/mailboxes/old/messages/${id}/diff`).expect(400);
    for (const other of [
      '',
      'x',
      'msg_',
      `mbx_${id.slice(4)}`,
      `${id}0`,
      `${id}.`,
      `new/${id}/`,
      `/${id}`,
      `${id}&with=${id}`,
    ]) {
      await compare(id, other).expect(400);
    }
    const { body } = await compare(id, 'x').expect(400);
    expect(body.error).to.include('"with" must be the id of a message');
  });

  it('404: either message, its mailbox, or one of another workspace', async () => {
    const id = await receive('old', mail());
    const none = 'msg_01k9z6v7m3q8w2x4y5b6c7d8e9';
    await compare(none, id).expect(404);
    await compare(id, none).expect(404);
    await compare(id, `new/${id}`).expect(404);
    await compare(id, `none/${id}`).expect(404);
    await compare(id, `old@else.test/${id}`).expect(404);
    await api
      .get(`/api/mailboxes/old/messages/${id}/diff?with=${id}`, await test.stranger())
      .expect(404);
    const narrow = await test.token('reader', ['new']);
    const own = await receive('new', mail());
    await api.get(`/api/mailboxes/new/messages/${own}/diff?with=${id}`, narrow).expect(404);
    await api.get(`/api/mailboxes/new/messages/${own}/diff?with=${own}`, narrow).expect(200);
  });
});
