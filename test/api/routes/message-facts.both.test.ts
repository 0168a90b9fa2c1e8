import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { service } from '../../support/service.ts';

const LONG = 'x'.repeat(3000);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('facts of a message', () => {
  const test = service({ mailboxes: ['box', 'other'] });

  const whole = async (id: string, name = 'box') => {
    const { body } = await test.api.get(`/api/mailboxes/${name}/messages/${id}`).expect(200);
    return body as Record<string, unknown>;
  };
  const withHeader = async (...header: string[]) =>
    whole(await test.receive('box', { text: 'x', header }));

  it('come from the header, with names and in UTC', async () => {
    const id = await test.receive('box', {
      from: '=?utf-8?q?J=C3=B6rg?= <joerg@else.test>',
      text: 'x',
      header: [
        'To: "Team, QA" <box@one.test>, friends: ann@else.test, Bo <bo@else.test>;',
        'Cc: =?utf-8?B?Wm/Dqw==?= <zoe@else.test>',
        'Bcc: secret@else.test',
        'Reply-To: Support <support@else.test>, help@else.test',
        'Sender: Bot <bot@else.test>',
        'Date: Mon, 02 Mar 2026 09:15:00 +0100 (CET)',
        'Message-ID: <3@else.test>',
        'In-Reply-To: (about <x@y>) <2@else.test>',
        'References: <1@else.test>\n <2@else.test>',
        'Auto-Submitted: Auto-Replied; owner-email="a@b" (vacation)',
        'List-Id: Developers (all) <dev.lists.else.test>',
      ],
    });
    const facts = {
      date: '2026-03-02T08:15:00.000Z',
      sender: { address: 'bot@else.test', name: 'Bot' },
      inReplyTo: '<2@else.test>',
      autoSubmitted: 'auto-replied',
      listId: 'dev.lists.else.test',
    };
    const message = await whole(id);
    expect(message).to.deep.include({
      ...facts,
      references: ['<1@else.test>', '<2@else.test>'],
      recipients: {
        to: [
          { address: 'box@one.test', name: 'Team, QA' },
          { address: 'ann@else.test', name: null },
          { address: 'bo@else.test', name: 'Bo' },
        ],
        cc: [{ address: 'zoe@else.test', name: 'Zoë' }],
        bcc: [{ address: 'secret@else.test', name: null }],
        replyTo: [
          { address: 'support@else.test', name: 'Support' },
          { address: 'help@else.test', name: null },
        ],
      },
    });
    const [summary] = await test.messages('box', '?view=summary');
    expect(summary).to.deep.include({ ...facts, threadId: message['threadId'] });
    expect(summary).to.not.have.any.keys('references', 'recipients');
  });

  it('are null without the fields', async () => {
    expect(await withHeader()).to.deep.include({
      ...{ date: null, sender: null, inReplyTo: null, threadId: null, autoSubmitted: null },
      ...{ listId: null, references: [], recipients: { to: [], cc: [], bcc: [], replyTo: [] } },
    });
    const unreadable = await withHeader('Date: tomorrow', 'In-Reply-To: your last mail');
    expect(unreadable).to.include({ date: null, inReplyTo: null });
  });

  it('are bounded', async () => {
    const message = await withHeader(
      `References: ${Array.from({ length: 1000 }, (_, n) => `<${n}@else.test>`).join('\n ')}`,
      `Reply-To: ${Array.from({ length: 100 }, (_, n) => `${n}@else.test`).join(',\n ')}`,
      `List-Id: <${LONG}>`,
      `Sender: "${LONG}" <a@else.test>`,
    );
    expect(message['references']).to.have.length(200);
    expect(message['recipients']).to.have.property('replyTo').with.length(10);
    expect(message['listId']).to.have.length(998);
    expect(message['sender']).to.have.property('name').with.length(998);
  });

  it('name the thread by its first mail and the mailbox', async () => {
    const first = await withHeader('Message-ID: <1@else.test>');
    const threadId = first['threadId'];
    expect(threadId).to.match(/^thr_[0-9a-z]{26}$/);
    const id = ['Message-ID: <2@else.test>', 'Message-ID: <3@else.test>'] as const;
    expect(await withHeader(id[0], 'In-Reply-To: <1@else.test>')).to.include({ threadId });
    const deep = await withHeader(
      id[1],
      'In-Reply-To: <2@else.test>',
      'References: <1@else.test> <2@else.test>',
    );
    expect(deep).to.include({ threadId });
    expect(await withHeader(id[0])).not.to.include({ threadId });
    const elsewhere = await test.receive('other', { header: ['Message-ID: <1@else.test>'] });
    expect((await whole(elsewhere, 'other'))['threadId'])
      .to.match(/^thr_/)
      .and.not.equal(threadId);
  });

  it('describe the attachments', async () => {
    const id = await test.receive('box', {
      html: '<img src="cid:a%20b@else.test"><img src="cid:c@else.test">',
      parts: [
        'Content-Type: image/png\nContent-ID: <a b@else.test>\n\nPNG',
        'Content-Type: image/png; name=c.png\nContent-Disposition: attachment\nContent-ID: <c@else.test>\n\nPNG2',
        'Content-Type: text/csv; charset=ISO-8859-1\nContent-Disposition: Attachment; filename=a.csv\nContent-Description: =?utf-8?q?Gr=C3=B6=C3=9Fen?=\n\na;b',
        'Content-Type: text/calendar; method=request; charset=utf-8\n\nBEGIN:VCALENDAR\nEND:VCALENDAR',
      ],
    });
    const { attachments } = await whole(id);
    const none = { disposition: null, charset: null, method: null, description: null };
    expect((attachments as object[]).map((each) => ({ ...each, id: '', size: 0 })))
      .to.have.length(4)
      .and.satisfy((found: Record<string, unknown>[]) => {
        expect(found[0]).to.include({ ...none, filename: 'image-1.png', isInline: true });
        expect(found[0]).to.include({ sha256: sha256('PNG') });
        expect(found[1]).to.include({ disposition: 'attachment', isInline: true });
        expect(found[2]).to.include({
          ...{ ...none, disposition: 'attachment', isInline: false, charset: 'ISO-8859-1' },
          ...{ description: 'Größen', sha256: sha256('a;b') },
        });
        expect(found[3]).to.include({
          ...{ ...none, method: 'REQUEST', charset: 'utf-8', filename: 'invite.ics' },
          isInline: false,
        });
        return true;
      });
    const [summary] = await test.messages('box', '?view=summary');
    expect(summary?.attachments[0]).to.not.have.any.keys('sha256', 'isInline');
  });

  it('tell which attachments the HTML shows, in each form that the view embeds', async () => {
    const picture = (field: string) => `Content-Type: image/png\n${field}\n\nPNG`;
    const id = await test.receive('box', {
      html:
        '<img src="cid:my picture@else.test"><img src="images/a.png">' +
        '<div style="background: url(cid:b&#64;else.test)"></div><p>images/c.png</p>',
      parts: [
        picture('Content-ID: <mypicture@else.test>'),
        picture('Content-Location: images/a.png'),
        picture('Content-ID: <b@else.test>'),
        picture('Content-Location: images/c.png'),
      ],
    });
    const { attachments } = await whole(id);
    const shown = (attachments as { isInline: boolean }[]).map(({ isInline }) => isInline);
    expect(shown).to.deep.equal([true, true, true, false]);
  });

  it('name attachments by their type if the mail gives no name', async () => {
    const attached = 'Content-Disposition: attachment';
    const inner = (subject: string) =>
      `Content-Type: message/rfc822\n${attached}\n\nSubject: ${subject}\n\nhello`;
    const id = await test.receive('box', {
      text: 'x',
      parts: [
        inner('=?utf-8?q?Gr=C3=BC=C3=9Fe/a?='),
        inner(''),
        `Content-Type: image/jpeg\n${attached}\n\nx`,
        `Content-Type: image/png; name=logo.png\n${attached}\n\nx`,
        `Content-Type: image/png\n${attached}\n\nx`,
        `Content-Type: application/pdf\n${attached}\n\nx`,
        `Content-Type: application/octet-stream\n${attached}\n\nx`,
      ],
    });
    const { attachments } = await whole(id);
    expect((attachments as { filename: string }[]).map(({ filename }) => filename)).to.deep.equal([
      ...['Grüße a.eml', 'message-1.eml', 'image-1.jpg', 'logo.png', 'image-2.png'],
      ...['document-1.pdf', 'attachment-7'],
    ]);
  });

  it('are those of the source in a sent message', async () => {
    const content = 'BEGIN:VCALENDAR';
    const id = await test.send('other', {
      to: ['box@one.test'],
      cc: ['other@one.test'],
      subject: 'sent',
      attachments: [
        {
          filename: 'a.ics',
          contentType: 'text/calendar; method=request; charset=utf-8',
          data: Buffer.from(content).toString('base64'),
        },
      ],
    });
    const sent = await whole(id);
    const { text: raw } = await test.api
      .get(`/api/mailboxes/box/messages/${id}/raw`)
      .buffer(true)
      .parse((res, done) => {
        let text = '';
        res.on('data', (chunk: Buffer) => (text += chunk.toString()));
        res.on('end', () => {
          done(null, text);
        });
      })
      .then(({ body }) => ({ text: body as string }));
    const parsed = await whole(await test.receive('box', raw));
    for (const name of ['date', 'sender', 'references', 'recipients', 'threadId', 'listId']) {
      expect(sent[name], name).to.deep.equal(parsed[name]);
    }
    expect((sent['attachments'] as object[])[0]).to.include({
      ...{ disposition: 'attachment', isInline: false, sha256: sha256(content) },
      ...{ charset: 'utf-8', method: 'REQUEST', description: null },
    });
  });

  it('are null in mail that an earlier version stored', async () => {
    const id = await test.receive('box', { header: ['Message-ID: <1@else.test>'] });
    const { store } = test.context;
    await store.query((db) => db.update(db.t.messages).set({ facts: null }));
    await store.query((db) => db.update(db.t.mails).set({ details: null }));
    expect(await whole(id)).to.include({
      ...{ date: null, threadId: null, references: null, recipients: null },
    });
  });

  it('go with the content of a mail', async () => {
    const id = await test.receive('box', { header: ['Cc: secret@else.test'] });
    await test.api.delete(`/api/mailboxes/box/messages/${id}`).expect(204);
    const rows = await test.context.store.query((db) =>
      db.select({ details: db.t.mails.details }).from(db.t.mails),
    );
    expect(rows).to.deep.equal([{ details: null }]);
  });
});
