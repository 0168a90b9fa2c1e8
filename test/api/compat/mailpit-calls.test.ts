import { expect } from 'chai';
import supertest from 'supertest';
import { storeDirectly } from '../../support/context/store-directly.ts';
import { service } from '../../support/service.ts';

const PDF = 'Content-Type: application/pdf; name=a.pdf\nContent-Disposition: attachment\n\nPDF';
const NESTED = [
  'Content-Type: multipart/mixed; boundary=in',
  '',
  '--in',
  'Content-Type: text/plain',
  '',
  'inner text',
  '--in',
  'Content-Type: text/csv; name=b.csv',
  'Content-Disposition: attachment',
  '',
  'a;b',
  '--in--',
].join('\n');

describe('the calls of Mailpit', () => {
  const test = service({ mailboxes: ['box', 'other'] });
  const get = (path: string) =>
    supertest(test.api.app).get(`/compat/mailpit${path}`).auth('box', test.workspace.token);

  describe('message/{id}/part/{part}', () => {
    const part = (number: string) => get(`/api/v1/message/latest/part/${number}`).buffer(true);
    const text = async (number: string) => {
      const { body, text: shown } = await part(number).expect(200);
      return Buffer.isBuffer(body) ? body.toString() : shown;
    };

    it('takes the numbers of Mailpit, and the ids of the answer', async () => {
      await test.receive('box', { text: 'the text', parts: [PDF, NESTED] });
      expect(await text('1')).to.contain('the text');
      expect(await text('2')).to.contain('PDF');
      expect(await text('3.1')).to.contain('inner text');
      expect(await text('3.2')).to.contain('a;b');
      for (const number of ['0', '4', '3.3', '2.1', '3.0', '01', '1.', '-1', 'x']) {
        await part(number).expect(404);
      }
      const { body } = await get('/api/v1/message/latest').expect(200);
      const { Attachments } = body as { Attachments: { PartID: string }[] };
      const shown = Attachments.map(({ PartID }) => text(PartID));
      const [first, second] = await Promise.all(shown);
      expect(first).to.contain('PDF');
      expect(second).to.contain('a;b');
    });

    it('takes 0 for a mail that is one part', async () => {
      await test.receive('box', `Subject: s\n${PDF}`);
      expect(await text('0')).to.contain('PDF');
      await part('2').expect(404);
    });
  });

  it('shows the text of the HTML for a mail without text', async () => {
    const shown = async () => (await get('/api/v1/message/latest').expect(200)).body.Text as string;
    await test.receive('box', { html: '<p>Your code is <b>482913</b>' });
    expect(await shown()).to.contain('Your code is 482913');
    await test.receive('box', {
      html: `<a href="https://shop.test/a?b=1&amp;c=2">Open <b>it</b></a>, <a href=" https://x.test/ ">
        https://x.test/</a><a href="https://hidden.test/" hidden>no</a> <a name=top>top</a>`,
    });
    const links = 'Open it ( https://shop.test/a?b=1&c=2 ), https://x.test/ top';
    expect((await shown()).trim()).to.equal(links);
    expect((await get('/view/latest.txt').expect(200)).text.trim()).to.equal(links);
    await test.receive('box', { text: ' \n', html: '<p>from the page' });
    expect(await shown()).to.contain('from the page');
    await test.receive('box', { text: 'the text', html: '<p>the page' });
    expect(await shown())
      .to.contain('the text')
      .and.not.to.contain('the page');
  });

  it('opens links of a view in its window, or with embed=1 in a new one', async () => {
    await test.receive('box', { html: '<a href="https://shop.test/verify">go</a>' });
    const page = async (query: string) => (await get(`/view/latest.html${query}`).expect(200)).text;
    expect(await page('')).to.contain('href="https://shop.test/verify"');
    expect(await page('')).not.to.match(/<base[^>]*target/);
    expect(await page('?embed=1')).to.match(/<base[^>]*target="_blank"/);
  });

  it('leads to messages in the dashboard', async () => {
    const location = async (path: string) => (await get(path).expect(302)).headers['location'];
    expect(await location('/view/latest')).to.equal('/mailboxes/box');
    const old = await test.receive('box', { subject: 'old' });
    const id = await test.receive('box', { subject: 'new' });
    expect(await location('/view/latest')).to.equal(`/mailboxes/box/messages/${id}`);
    expect(await location(`/view/${old}`)).to.equal(`/mailboxes/box/messages/${old}`);
    expect(await location('/view/latest?query=subject:old')).to.contain(old);
    await get('/view/unknown').expect(404);
    await get(`/view/${await test.receive('other', {})}`).expect(404);
  });

  it('finds the latest message of a search', async () => {
    const old = await test.receive('box', { subject: 'old' });
    const id = await test.receive('box', { subject: 'new' });
    const latest = (query: string) => get(`/api/v1/message/latest${query}`);
    expect((await latest('').expect(200)).body).to.include({ ID: id });
    expect((await latest('?query=subject:old').expect(200)).body).to.include({ ID: old });
    await latest('?query=subject:unknown').expect(404);
  });

  it('answers probes without credentials', async () => {
    const app = supertest(test.api.app);
    await app.get('/compat/mailpit/livez').expect(200, '');
    await app.get('/compat/mailpit/readyz').expect(200, '');
    test.context.store.check = () => Promise.reject(new Error('away'));
    await app.get('/compat/mailpit/readyz').expect(503, '');
    await app.get('/compat/mailpit/livez').expect(200);
    await app.get('/compat/mailpit/api/v1/info').expect(401);
  });

  describe('tags', () => {
    const tags = async () => (await get('/api/v1/tags').expect(200)).body as string[];
    const newest = async () => (await get('/api/v1/message/latest').expect(200)).body.Tags;

    it('are those of X-Tags and of the address', async () => {
      expect(await tags()).to.deep.equal([]);
      await test.receive('box+run7@one.test', { header: ['X-Tags: Order, new  customer,order,'] });
      expect(await newest()).to.deep.equal(['Order', 'new customer', 'run7']);
      await test.receive('box', {
        header: ['X-Tags: =?utf-8?q?M=C3=BCller?=, a<b>', 'X-Tags: no'],
      });
      expect(await newest()).to.deep.equal(['M ller', 'a b']);
      await test.receive('box', { header: [`X-Tags: ${'x'.repeat(200)}`] });
      expect(await newest()).to.deep.equal(['x'.repeat(100)]);
      await test.receive('other', { header: ['X-Tags: elsewhere'] });
      const all = ['M ller', 'Order', 'a b', 'new customer', 'run7', 'x'.repeat(100)];
      expect(await tags()).to.deep.equal(all);
      const { body } = await get('/api/v1/messages?limit=2').expect(200);
      expect(body.tags).to.deep.equal(['M ller', 'a b', 'x'.repeat(100)]);
      expect(body.messages[0]).to.deep.include({ Tags: ['x'.repeat(100)], Username: '' });
    });

    it('are found beyond the first page of messages', async () => {
      await test.receive('box', { header: ['X-Tags: oldest'] });
      const { id } = (await test.api.get('/api/mailboxes/box').expect(200)).body as { id: string };
      const at = test.context.now() + 1;
      const stored = Array.from({ length: 600 }, () => storeDirectly(test.context, id, at));
      await Promise.all(stored);
      expect(await tags()).to.deep.equal(['oldest']);
    });
  });
});
