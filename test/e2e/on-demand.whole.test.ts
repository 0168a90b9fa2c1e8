/** What the bundled processes load on demand: chunks, and packages with files of their own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/mocha/eventually.ts';
import { type Product } from '../support/process/product.ts';
import { sharedProduct } from '../support/process/shared-product.ts';

describe('a process of the product loads on demand', () => {
  let product: Product;
  let origin: string;

  before(async () => {
    product = await sharedProduct();
    origin = product.apiUrl.replace(/\/api$/, '');
  });

  it('the queues page with its files', async () => {
    const password = (await readFile(join(product.dataDir, 'operator-password'), 'utf8')).trim();
    const login = Buffer.from(`operator:${password}`).toString('base64');
    const get = (path: string) =>
      fetch(`${origin}/admin/queues/${path}`, { headers: { Authorization: `Basic ${login}` } });
    const html = await (await get('')).text();
    const [script = 'none'] = /static\/[^"]+\.js/.exec(html) ?? [];
    const loaded = await get(script);
    expect(loaded.status).to.equal(200);
    expect(loaded.headers.get('content-type')).to.contain('javascript');
    expect(await (await get('api/queues')).json()).to.have.property('queues');
  });

  it('the tools for agents', async () => {
    const answer = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${product.token ?? ''}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(answer.status).to.equal(200);
    expect(await answer.text()).to.contain('wait_for_code');
  });

  it('the composer of mail', async () => {
    const { rest } = product;
    const { address } = await rest.createMailbox('on-demand');
    const mail = { to: [address], subject: 'Composed', text: 'x' };
    const answer = await product.ask('POST', '/mailboxes/on-demand/messages', mail);
    expect(answer.status).to.equal(201);
    await eventually('the message', async () => (await rest.messages('on-demand')).length === 1);
  });
});
