import { once } from 'node:events';
import { type IncomingMessage, get } from 'node:http';
import { expect } from 'chai';
import { createApp } from '../../../api/app.ts';
import type { Context } from '../../../core/context.ts';
import { createMailboxes } from '../../../core/mailboxes/create.ts';
import { mailboxPage } from '../../../db/statements/mailboxes.ts';
import { openEventServer } from '../../support/clients/event-stream.ts';
import { service } from '../../support/service.ts';

const COUNT = 1203;

interface Listed {
  name: string;
  messageCount: number;
  labels: Record<string, string>;
}

describe('GET /api/mailboxes', () => {
  const test = service({
    // Validated responses are not streamed.
    env: { PLAN_PRO_MAILBOXES: '0', RATE_LIMIT_PRO: '0', VALIDATE_RESPONSES: 'false' },
    once: true,
  });
  const { api } = test;

  before(async function () {
    this.timeout(60_000);
    for (let n = 0; n < COUNT; n += 100) {
      const count = Math.min(100, COUNT - n);
      const wanted = Array.from({ length: count }, (_, k) => ({
        name: `box-${String(n + k).padStart(4, '0')}`,
        ...(k === 0 && { labels: { run: 'a' } }),
      }));
      await createMailboxes(test.context, test.caller, wanted);
      test.advance(1);
    }
    await test.receive('box-0000');
  });

  const list = async (query = '', token?: string) => {
    const { body, headers } = await api.get(`/api/mailboxes${query}`, token).expect(200);
    return { rows: body as Listed[], names: (body as Listed[]).map(({ name }) => name), headers };
  };

  it('200: all of them without `limit`, newest first, with counts', async () => {
    const { rows, names, headers } = await list();
    expect(names).to.have.length(COUNT);
    expect(new Set(names)).to.have.property('size', COUNT);
    expect(names.at(0)).to.match(/^box-12/);
    expect(rows.find(({ name }) => name === 'box-0000')).to.deep.include({
      messageCount: 1,
      labels: { run: 'a' },
    });
    expect(headers).not.to.have.property('link');
    expect(headers['transfer-encoding']).to.equal('chunked');
  });

  it('200: the same in pages, which `Link` and `Next-Cursor` lead to', async () => {
    const all = (await list()).names;
    const byCursor: string[] = [];
    for (let query = '?limit=100'; ;) {
      const { names, headers } = await list(query);
      byCursor.push(...names);
      if (headers['next-cursor'] === undefined) break;
      expect(names).to.have.length(100);
      query = `?limit=100&after=${headers['next-cursor']}`;
    }
    expect(byCursor).to.deep.equal(all);
    const { headers } = await list('?limit=3&q=BOX-0&label=run:a');
    const [, path = ''] = /^<(\S+)>; rel="next"$/.exec(headers.link as string) ?? [];
    const { body } = await api.get(path).expect(200);
    expect((body as Listed[]).map(({ name }) => name)).to.deep.equal([
      ...['box-0600', 'box-0500', 'box-0400'],
    ]);
  });

  it('200: those whose names start with `q`', async () => {
    expect((await list('?q=box-11')).names).to.have.length(100);
    expect((await list('?q=Box-0042')).names).to.deep.equal(['box-0042']);
    for (const none of ['ox', '%25', '_ox', 'box-0042x']) {
      expect((await list(`?q=${none}`)).names, none).to.deep.equal([]);
    }
    expect((await list('?q=box-0&label=run:a')).names).to.have.length(10);
    const token = await test.token('reader', ['box-0007', 'box-0100']);
    expect((await list('?q=box-00', token)).names).to.deep.equal(['box-0007']);
    expect((await list('?limit=1', token)).headers).to.have.property('next-cursor');
  });

  it('closes the connection if the token is revoked while it responds', async () => {
    let reached: () => void = () => undefined;
    let resume: () => void = () => undefined;
    const isReached = new Promise<void>((resolve) => (reached = resolve));
    const isResumed = new Promise<void>((resolve) => (resume = resolve));
    let pages = 0;
    const { store } = test.context;
    const query: Context['store']['query'] = async (statement, ...args) => {
      if ((statement as unknown) === mailboxPage && (pages += 1) === 3) {
        reached();
        await isResumed;
      }
      return store.query(statement, ...args);
    };
    const server = await openEventServer(
      createApp({ ...test.context, store: { ...store, query } }),
    );
    const { body } = await api.post('/api/tokens').send({ name: 'x' }).expect(201);
    const request = get(`${server.url}/api/mailboxes`, {
      agent: false,
      headers: { Authorization: `Bearer ${(body as { token: string }).token}` },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let text = '';
    response.on('data', (part: Buffer) => (text += part.toString()));
    const failed = once(response, 'error');
    await isReached;
    await api.delete(`/api/tokens/${(body as { id: string }).id}`).expect(204);
    resume();
    const [error] = (await failed) as [NodeJS.ErrnoException];
    expect(error.code).to.equal('ECONNRESET');
    expect(text.split('"id":"mbx_').length - 1).to.equal(1000);
    expect(text.endsWith(']')).to.equal(false);
    await server.close();
  });
});
