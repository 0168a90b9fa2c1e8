import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ROOT } from '../../../core/root.ts';
import { service } from '../../support/service.ts';

interface Listed {
  messages: { id: string; subject: string; text?: string; receivedAt: string }[];
  nextCursor: string | null;
  total: number;
}

describe('messages over HTTP', () => {
  const test = service({ mailboxes: ['box'] });
  const { api, deliver, receive } = test;

  const list = async (query = ''): Promise<Listed> =>
    (await api.get(`/api/mailboxes/box/messages${query}`).expect(200)).body as Listed;
  const arriveMany = async (count: number, receivedAt?: number) => {
    for (let n = 1; n <= count; n += 1) await receive('box', `Subject: ${n}\r\n\r\n`, receivedAt);
  };

  describe('GET /api/mailboxes/:name/messages', () => {
    it('200: complete messages, newest first', async () => {
      expect(await list()).to.deep.include({ messages: [], nextCursor: null, total: 0 });
      await arriveMany(3);
      const page = await list();
      expect(page.messages.map(({ subject }) => subject)).to.deep.equal(['3', '2', '1']);
      expect(page).to.include({ nextCursor: null, total: 3 });
    });

    it('200: a summary omits bodies, and its pages never end early', async () => {
      const part = 'x'.repeat(5 * 1024 * 1024);
      for (const n of [1, 2]) await receive('box', `Subject: ${n}\r\n\r\n${part}`);
      expect((await list()).messages).to.have.length(1);
      const { messages, nextCursor } = await list('?view=summary');
      expect(messages.map(({ subject }) => subject)).to.deep.equal(['2', '1']);
      expect(nextCursor).to.equal(null);
      expect(messages[0]).not.to.have.any.keys('text', 'html');
    });

    it('200: pages of 20 by default, followed by cursor through equal times', async () => {
      await arriveMany(45, test.context.now());
      const seen: string[] = [];
      let page = await list();
      expect(page.messages).to.have.length(20);
      for (;;) {
        expect(page.total).to.equal(45);
        seen.push(...page.messages.map(({ subject }) => subject));
        if (page.nextCursor === null) break;
        page = await list(`?limit=20&after=${page.nextCursor}`);
      }
      expect(seen).to.deep.equal(Array.from({ length: 45 }, (_, n) => String(45 - n)));
    });

    it('200: only messages after `since`, with a plain or encoded offset', async () => {
      await arriveMany(1, Date.parse('2026-03-01T12:00:00.000Z'));
      await arriveMany(1, Date.parse('2026-03-01T12:00:00.001Z'));
      for (const since of [
        '2026-03-01T12:00:00.000Z',
        '2026-03-01T14:00:00.000+02:00',
        encodeURIComponent('2026-03-01T14:00:00.000+02:00'),
        '2026-03-01T12:00:00.000',
        '2026-03-01T12:00',
        '2026-03-01T12:00:00,000999',
        '2026-03-01t14:00:00+0200',
        '2026-03-01T14:00+02',
        '2026-03-01%2012:00:00',
        '2026-03-01+12:00:00',
      ]) {
        const page = await list(`?since=${since}`);
        expect(page.messages, since).to.have.length(1);
        expect(page.total).to.equal(2);
      }
      expect((await list('?since=2026-03-01')).messages).to.have.length(2);
      expect((await list('?since=2026-03-02')).messages).to.have.length(0);
    });

    it('400: `since` is no time', async () => {
      for (const since of [
        ...['', 'yesterday', '1772366400', '2026-02-30', '2026-13-01', '2026-03-01T25:00'],
        ...['2026-03-01T12', '2026-03-01T12:00:60Z', '2026-03-01T12:00:00+', '01.03.2026'],
      ]) {
        const { body } = await api.get(`/api/mailboxes/box/messages?since=${since}`).expect(400);
        expect(body.code, since).to.equal('invalid_request');
      }
    });

    it('200: nothing from the millisecond of expiry on, purged or not', async () => {
      await arriveMany(1);
      test.advance(86_400_000 + 1000);
      expect(await list()).to.deep.include({ messages: [], nextCursor: null, total: 0 });
    });

    it('200: a page ends before its bodies exceed 8 MiB', async () => {
      for (let n = 1; n <= 3; n += 1)
        await receive('box', `Subject: ${n}\r\n\r\n${'x'.repeat(5_000_000)}`);
      const page = await list();
      expect(page.messages).to.have.length(1);
      const next = await list(`?after=${String(page.nextCursor)}`);
      expect(next.messages.map(({ subject }) => subject)).to.deep.equal(['2']);
    });

    it('200 to HEAD, without a body', async () => {
      const answer = await api.head('/api/mailboxes/box/messages').expect(200);
      expect(answer.body).to.deep.equal({});
    });
  });

  describe('GET /api/mailboxes/:name/messages/:id', () => {
    it('200: every field of a real mail', async () => {
      const raw = await readFile(join(ROOT, 'test/mail/order.eml'));
      const mail = await deliver('box+Order', raw);
      const { body } = await api
        .get(`/api/mailboxes/box/messages/${mail.messages[0]!.id}`)
        .expect(200);
      const { text, html, attachments, expiresAt, ...rest } = body as {
        text: string;
        html: string;
        attachments: object[];
        expiresAt: string;
        threadId: string;
      };
      expect(rest).to.deep.equal({
        id: mail.messages[0]!.id,
        from: 'jose.munoz@shop.example',
        fromName: 'José Muñoz',
        to: ['zoe@mayfly.localhost', 'qa@mayfly.localhost'],
        cc: ['andre@shop.example'],
        subject: 'Ihre Bestellung № 42 — Grüße 🦋',
        preview:
          'Guten Tag Zoë, Ihr Code ist 482913. Der Betrag: 12,50 €. . Ein Punkt stand allein auf der Zeile davor.',
        receivedAt: new Date(mail.receivedAt).toISOString(),
        tag: 'Order',
        messageIdHeader: '<order-42.1772439300@shop.example>',
        envelope: { from: 'sender@elsewhere.test', to: ['box+Order@one.test'] },
        size: raw.length,
        date: '2026-03-02T08:15:00.000Z',
        ...{ sender: null, inReplyTo: null, references: [], autoSubmitted: null, listId: null },
        ...{ report: null, event: null },
        threadId: rest.threadId,
        recipients: {
          to: [
            { address: 'zoe@mayfly.localhost', name: 'Zoë Müller' },
            { address: 'qa@mayfly.localhost', name: 'Team, QA' },
          ],
          cc: [{ address: 'andre@shop.example', name: 'André' }],
          ...{ bcc: [], replyTo: [] },
        },
      });
      expect(rest.threadId).to.match(/^thr_[0-9a-z]{26}$/);
      expect(text).to.contain('482913');
      expect(html).to.contain('<b>482913</b>');
      expect(Date.parse(expiresAt)).to.be.at.least(mail.receivedAt + 86_400_000);
      expect(attachments).to.have.length(2);
      expect(attachments[1]).to.include({
        filename: 'Rechnung № 42.pdf',
        contentType: 'application/pdf',
        url: null,
        signedUrl: null,
      });
    });

    it('200: without a To header, only the recipient of this message', async () => {
      await test.mailbox('blind');
      const mail = await deliver(['box', 'blind+T'], 'Subject: bcc\r\n\r\nx');
      const { body } = await api
        .get(`/api/mailboxes/blind/messages/${mail.messages[1]!.id}`)
        .expect(200);
      expect(body.to).to.deep.equal(['blind+T@one.test']);
      expect(body).to.not.have.any.keys('html', 'fromName', 'parseError', 'messageIdHeader');
    });
  });
});
