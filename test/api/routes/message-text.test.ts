import { expect } from 'chai';
import { messagePayload } from '../../../core/webhooks/payload.ts';
import { service } from '../../support/service.ts';

const BOX = '/api/mailboxes/box';
const HTML = [
  'From: a@b.test',
  'Subject: Code',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<title>Code</title><div style="display:none">Hidden</div><p>Your  code</p><p>is <b>482913</b>.</p>',
].join('\r\n');
const PREVIEW = 'Your code is 482913.';

describe('text and preview of messages', () => {
  const test = service({ env: { RATE_LIMIT_PRO: '0' }, mailboxes: ['box'] });
  const { api, follow, mark } = test;

  const delivered = (raw: string) => test.receive('box', raw);
  const textOf = (id: string) => api.get(`${BOX}/messages/${id}/text`);

  /** The previews in everything that shows a message. */
  const previewsOf = async (id: string, since: string) => {
    const client = await follow(`${BOX}/events?mark=${since}`);
    const [event] = await client.next();
    const { body: box } = await api.get(BOX).expect(200);
    const payload = await messagePayload(test.context, box, id);
    const bodies = await Promise.all([
      api.get(`${BOX}/messages`).expect(200),
      api.get(`${BOX}/messages?view=summary`).expect(200),
      api.get(`${BOX}/messages/wait?timeout=0`).expect(200),
      api.get(`${BOX}/messages/wait?timeout=0&view=summary`).expect(200),
    ]);
    const one = await api.get(`${BOX}/messages/${id}`).expect(200);
    expect(one.body.html).to.equal(HTML.slice(HTML.indexOf('<title>')));
    expect(one.body).not.to.have.property('text');
    return [
      one.body.preview,
      ...bodies.map(({ body }) => body.messages[0].preview),
      payload?.message.preview,
      (event?.data as { preview: string }).preview,
    ];
  };

  it('the preview is in messages, summaries, webhook payloads and events', async () => {
    const since = await mark();
    const id = await delivered(HTML);
    expect(await previewsOf(id, since)).to.deep.equal(Array(7).fill(PREVIEW));
  });

  it('so is that of mail which an earlier version stored without a preview', async () => {
    const since = await mark();
    const id = await delivered(HTML);
    const { db } = test.context.store;
    await db.update(db.t.messages).set({ preview: null });
    expect(await previewsOf(id, since)).to.deep.equal(Array(7).fill(PREVIEW));
  });

  it('the preview is empty for a mail without text', async () => {
    const id = await delivered('From: a@b.test\r\n\r\n');
    expect((await api.get(`${BOX}/messages/${id}`).expect(200)).body.preview).to.equal('');
    expect((await textOf(id).expect(200)).text).to.equal('');
  });

  it('events tell sender, subject and preview, cut to a length', async () => {
    const client = await follow(`${BOX}/events`);
    await client.next();
    await delivered(`From: a@b.test\r\nSubject: ${'x'.repeat(5000)}\r\n\r\n${'y'.repeat(500)}`);
    const [event] = await client.next();
    expect(event?.data).to.include({
      from: 'a@b.test',
      subject: 'x'.repeat(998),
      preview: 'y'.repeat(200),
    });
  });

  it('the event of a message that was deleted meanwhile has only ids', async () => {
    const client = await follow('/api/events');
    await client.next();
    const ids = { mailbox: 'box', mailboxId: 'mbx_1', messageId: 'msg_deleted' };
    const event = { type: 'message.received', ...ids } as const;
    test.context.events.publisher.publish(test.caller.workspace.id, event);
    const [told] = await client.next();
    expect(told?.data).to.deep.equal(event);
  });

  describe('GET /api/mailboxes/{name}/messages/{id}/text', () => {
    it('200: the text part exactly as it was sent', async () => {
      const part = '  Hello  Ann,\r\n\r\n> <b>not HTML</b>\r\n';
      const head = 'From: a@b.test\r\nContent-Type: multipart/alternative; boundary=x\r\n';
      const parts = `--x\r\n\r\n${part}\r\n--x\r\nContent-Type: text/html\r\n\r\n<p>HTML\r\n--x--`;
      const { text, headers } = await textOf(await delivered(`${head}\r\n${parts}`)).expect(200);
      expect(text.replaceAll('\r\n', '\n')).to.equal(part.replaceAll('\r\n', '\n'));
      expect(headers['content-type']).to.equal('text/plain; charset=utf-8');
    });

    it('200: the HTML as a reader sees it, if there is no text part or a blank one', async () => {
      const shown = 'Your code\n\nis 482913.';
      expect((await textOf(await delivered(HTML)).expect(200)).text).to.equal(shown);
      const html = HTML.slice(HTML.indexOf('<title>'));
      const head = 'From: a@b.test\r\nContent-Type: multipart/alternative; boundary=x\r\n';
      for (const blank of ['', ' \r\n\t', '\u00a0', '\u200b\u2060 \ufeff', '\u00ad\u034f']) {
        const text = `Content-Type: text/plain; charset=utf-8\r\n\r\n${blank}`;
        const parts = `--x\r\n${text}\r\n--x\r\nContent-Type: text/html\r\n\r\n${html}\r\n--x--`;
        const id = await delivered(`${head}\r\n${parts}`);
        expect((await textOf(id).expect(200)).text, JSON.stringify(blank)).to.equal(shown);
      }
    });

    it('200: all of HTML above 1 MiB', async () => {
      const head = 'From: a@b.test\r\nContent-Type: text/html\r\n\r\n';
      const id = await delivered(`${head}${'<p>Hello</p>\r\n'.repeat(100_000)}<p>482913</p>`);
      expect((await textOf(id).expect(200)).text.endsWith('Hello\n\n482913')).to.equal(true);
    });

    it('404: a deleted message', async () => {
      const id = await delivered(HTML);
      await api.delete(`${BOX}/messages/${id}`).expect(204);
      await textOf(id).expect(404);
    });
  });
});
