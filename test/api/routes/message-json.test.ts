import { expect } from 'chai';
import { messageJson } from '../../../api/routes/message-json.ts';
import { waitParts } from '../../../api/routes/waits.ts';
import { requireMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { listMessages } from '../../../core/messages/messages.ts';
import type { Store } from '../../../db/store.ts';
import { type TestApi, openTestApi } from '../../support/context/api.ts';
import { service } from '../../support/service.ts';

const LARGE = Buffer.alloc(1024 * 1024 + 1).toString('base64');
const DAY_MS = 86_400_000;

const WHOLE_ONLY = new Set([
  ...['text', 'html', 'references', 'recipients', 'report', 'event'],
  ...['disposition', 'isInline', 'sha256', 'charset', 'method', 'description'], // of attachments
]);

describe('cached messages', () => {
  const test = service({
    // As in production: validated responses are not sent from the cache.
    env: { VALIDATE_RESPONSES: 'false' },
    mailboxes: ['sender', 'box', 'other'],
  });
  const { api } = test;
  let id: string;

  const send = (message: object): Promise<string> => {
    const usual = { to: ['box@one.test'], subject: 'Grüße', text: 'Hallo' };
    return test.send('sender', { ...usual, ...message });
  };
  const list = async (from = api) =>
    (await from.get('/api/mailboxes/box/messages').expect(200)).body;
  const show = async (messageId: string, from = api) =>
    (await from.get(`/api/mailboxes/box/messages/${messageId}`).expect(200)).body;

  beforeEach(async () => {
    const small = { filename: 'ä.txt', contentType: 'text/plain', data: 'YQ==' };
    id = await send({ html: '<p>"Hallo"</p>', attachments: [small] });
  });

  it('200: are identical, individually and in pages, in a new process too', async () => {
    await send({ text: 'x'.repeat(300 * 1024) });
    const page = await list();
    expect(page).to.have.all.keys('messages', 'nextCursor', 'total', 'mark');
    expect(page.messages).to.have.length(2);
    expect(await list()).to.deep.equal(page);
    expect(await list(openTestApi(test))).to.deep.equal(page);
    for (const message of page.messages) {
      expect(await show(message.id)).to.deep.equal(message);
      expect(await show(message.id, openTestApi(test))).to.deep.equal(message);
    }
  });

  it('200: are identical in a summary except for bodies and long lists, in any order', async () => {
    const summary = async (from: TestApi) =>
      (await from.get('/api/mailboxes/box/messages?view=summary').expect(200)).body;
    await send({ subject: 'second' });
    const page = await list();
    const summarized = (value: object) =>
      Object.fromEntries(Object.entries(value).filter(([field]) => !WHOLE_ONLY.has(field)));
    const messages = (page.messages as { attachments: object[] }[]).map((message) => ({
      ...summarized(message),
      attachments: message.attachments.map(summarized),
    }));
    const other = openTestApi(test);
    for (const from of [api, api, other, other]) {
      expect(await summary(from)).to.deep.equal({ ...page, messages });
    }
    expect(await list(other)).to.deep.equal(page);
  });

  it('200: need as few statements for a summary as for a full page', async () => {
    let statements = 0;
    const { store } = test.context;
    const counting: Store = {
      ...store,
      execute: (...asked) => {
        statements += 1;
        return store.execute(...asked);
      },
      query: (...asked) => {
        statements += 1;
        return store.query(...asked);
      },
    };
    const counted = openTestApi({ ...test, context: { ...test.context, store: counting } });
    const cost = async (query: string) => {
      const path = `/api/mailboxes/box/messages${query}`;
      await counted.get(path).expect(200);
      statements = 0;
      await counted.get(path).expect(200);
      return statements;
    };
    expect(await cost('?view=summary')).to.equal(await cost(''));
  });

  it('200: appear with new ones in order, page by page', async () => {
    await list();
    const newer = [await send({ subject: 'second' }), await send({ subject: 'third' })];
    const { body: first } = await api.get('/api/mailboxes/box/messages?limit=2').expect(200);
    expect(first.messages.map((each: { id: string }) => each.id)).to.deep.equal(newer.reverse());
    const next = `/api/mailboxes/box/messages?limit=2&after=${first.nextCursor}`;
    const { body: second } = await api.get(next).expect(200);
    expect(second).to.deep.include({ nextCursor: null, total: 3 });
    expect(second.messages).to.deep.equal([await show(id)]);
  });

  it('200: have their length in the header, with and without a body', async () => {
    await send({ subject: 'Zweite Größe' });
    for (const path of ['messages', 'messages?view=summary', `messages/${id}`]) {
      const { headers, text } = await api.get(`/api/mailboxes/box/${path}`).expect(200);
      expect(headers).to.include({
        'content-length': `${Buffer.byteLength(text)}`,
        'content-type': 'application/json; charset=utf-8',
      });
      const head = await api.head(`/api/mailboxes/box/${path}`).expect(200);
      expect(head.headers['content-length']).to.equal(headers['content-length']);
      expect(head.text).to.equal(undefined);
    }
  });

  it('keep no memory beside their bytes', async () => {
    const { extractions } = waitParts(test.context);
    const json = messageJson(test.context, extractions);
    const mailbox = await requireMailbox(test.context, test.caller, 'box');
    const gone = new AbortController().signal;
    const reader = { workspaceId: test.caller.workspace.id, gone };
    const { following } = await json.ofId(reader, mailbox, id);
    expect(following.buffer.byteLength).to.equal(following.length);
    const [row] = (await listMessages(test.context, mailbox, { limit: 1, summary: true })).rows;
    const summary = (await json.byId(reader, row ? [row] : [], { summary: true })).get(id);
    expect(summary?.following.buffer.byteLength).to.equal(summary?.following.length);
    const extracted = await extractions.ofId(id);
    expect(extracted?.json.buffer.byteLength).to.equal(extracted?.json.length);
  });

  it('304: with If-None-Match: *', async () => {
    for (const path of ['messages', `messages/${id}`]) {
      const { headers, text } = await api
        .get(`/api/mailboxes/box/${path}`)
        .set('If-None-Match', '*')
        .expect(304);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'content-length');
    }
  });

  it('200: have newly signed links to large attachments', async () => {
    const large = await send({ attachments: [{ filename: 'big.bin', data: LARGE }] });
    const url = async () => (await show(large)).attachments[0].url as string;
    const before = await url();
    test.advance(60_000);
    expect(await url()).to.not.equal(before);
    const [listed] = (await list()).messages;
    expect(listed.attachments[0].url).to.not.equal(before);
  });

  it('404: after deletion, also by another process', async () => {
    await show(id);
    await openTestApi({ ...test, context: await test.another() })
      .delete(`/api/mailboxes/box/messages/${id}`)
      .expect(204);
    await api.get(`/api/mailboxes/box/messages/${id}`).expect(404);
    expect(await list()).to.deep.include({ messages: [], nextCursor: null, total: 0 });
  });

  it('404: after expiry', async () => {
    await show(id);
    test.advance(DAY_MS + 1000);
    await api.get(`/api/mailboxes/box/messages/${id}`).expect(404);
    expect((await list()).messages).to.deep.equal([]);
  });

  it('200: of a mail to two mailboxes, one id resolves to the message of each mailbox', async () => {
    const both = await send({ to: ['box@one.test', 'other+tag@one.test'] });
    const own = await show(both);
    const path = `/api/mailboxes/other/messages/${both}`;
    const { body: theirs } = await api.get(path).expect(200);
    expect(theirs.tag).to.equal('tag');
    expect(theirs.id).to.not.equal(own.id);
    expect((await api.get(path).expect(200)).body).to.deep.equal(theirs);
    expect(await show(both)).to.deep.equal(own);
  });

  it('401: if the token was revoked during the read', async () => {
    await show(id);
    const { body } = await api.post('/api/tokens').send({ name: 'x' }).expect(201);
    const revoking = {
      ...test.context.rateLimits,
      countRequest: async () => {
        await api.delete(`/api/tokens/${body.id}`).expect(204);
        return null;
      },
    };
    const held = openTestApi({ ...test, context: { ...test.context, rateLimits: revoking } });
    await held.get('/api/mailboxes/box/messages', body.token).expect(401);
  });
});
