import { expect } from 'chai';
import { simpleParser } from 'mailparser';
import { service } from '../../support/service.ts';

const ORIGINAL = [
  'From: "Ann Acme" <support@one.test>',
  'To: box+shop@one.test, third@one.test',
  'Cc: fourth@one.test, BOX@one.test',
  'Subject: Your order',
  'Date: Thu, 26 Nov 2026 03:50:12 +0100',
  'Message-ID: <second@shop.example>',
  'In-Reply-To: <first@shop.example>',
  'References: <root@shop.example> <first@shop.example>',
  '',
  'Where shall we send it?',
  '> To me.',
  '',
].join('\r\n');

const HTML_WITH_FILES = [
  'From: support@one.test',
  'Subject: Files',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=part',
  '',
  '--part',
  'Content-Type: text/html',
  '',
  '<p>See <b>below</b></p><img src="cid:logo@shop">',
  '--part',
  'Content-Type: image/png; name=logo.png',
  'Content-ID: <logo@shop>',
  'Content-Disposition: inline; filename=logo.png',
  'Content-Transfer-Encoding: base64',
  '',
  'iVBORw==',
  '--part',
  'Content-Type: text/csv; charset=iso-8859-1; name="Grüße.csv"',
  'Content-Disposition: attachment; filename="Grüße.csv"',
  '',
  'name,value',
  '--part',
  'Content-Type: message/rfc822',
  '',
  'From: inner@shop.example',
  'Subject: Inner subject',
  '',
  'Inner text.',
  '--part--',
  '',
].join('\r\n');

/** Characters that end a line. */
const BREAKS = [
  ...[['CR', '\r'] as const, ['LF', '\n'] as const, ['CR LF', '\r\n'] as const],
  ...[['VT', '\v'] as const, ['FF', '\f'] as const, ['NEL', '\u0085'] as const],
  ...[['U+2028', '\u2028'] as const, ['U+2029', '\u2029'] as const],
];
const ANY_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;

describe('POST /api/mailboxes/:name/messages/:id/reply', () => {
  const test = service({ mailboxes: ['box', 'support', 'third', 'fourth'] });
  const { api, messages, newest, receive } = test;

  const reply = (id: string, body: object, name = 'box') =>
    api.post(`/api/mailboxes/${name}/messages/${id}/reply`).send(body);
  const read = async (name: string, id: string) =>
    (await api.get(`/api/mailboxes/${name}/messages/${id}`).expect(200)).body;
  const newestIn = async (name: string) => read(name, (await newest(name)).id);
  const rawOf = async (name: string, id: string) =>
    (await api.get(`/api/mailboxes/${name}/messages/${id}/raw`).buffer().expect(200)).text;

  it('201: to the sender, with subject, thread and quoted original', async () => {
    const id = await receive('box+shop', ORIGINAL);
    const { body } = await reply(id, { kind: 'reply', text: 'To my office.' }).expect(201);
    expect(body).to.deep.equal({ messageId: body.messageId, deliveredTo: ['support@one.test'] });
    const sent = await read('support', body.messageId);
    expect(sent).to.deep.include({
      from: 'box+shop@one.test',
      to: ['support@one.test'],
      subject: 'Re: Your order',
      inReplyTo: '<second@shop.example>',
      references: ['<root@shop.example>', '<first@shop.example>', '<second@shop.example>'],
      envelope: { from: 'box+shop@one.test', to: ['support@one.test'] },
    });
    expect(sent.text).to.equal(
      [
        'To my office.',
        '',
        'On Thu, 26 Nov 2026 02:50:12 GMT, Ann Acme <support@one.test> wrote:',
        '> Where shall we send it?',
        '>> To me.',
        '>',
      ].join('\n'),
    );
    expect(sent).not.to.have.property('html');
    expect(await messages('third')).to.be.empty;
    const again = await reply(body.messageId, { kind: 'reply', text: 'Noted.' }, 'support');
    expect((await newestIn('box')).subject).to.equal('Re: Your order');
    expect((await newestIn('box')).threadId).to.equal((await read('box', id)).threadId);
    expect(again.status).to.equal(201);
  });

  it('201: the stored message is what the source says', async () => {
    const id = await receive('box', HTML_WITH_FILES);
    const { body } = await reply(id, { kind: 'forward', text: 'See.', to: ['third@one.test'] });
    const sent = await read('third', body.messageId);
    await receive('fourth', await rawOf('third', body.messageId));
    const received = await newestIn('fourth');
    const same = (message: Record<string, unknown>) => ({
      ...{ subject: message['subject'], from: message['from'], to: message['to'] },
      ...{ inReplyTo: message['inReplyTo'], references: message['references'] },
      ...{ recipients: message['recipients'], date: message['date'] },
      attachments: (message['attachments'] as object[]).map((one) => ({ ...one, id: null })),
    });
    expect(same(sent)).to.deep.equal(same(received));
  });

  it('201: to Reply-To, in HTML, without a second "Re:"', async () => {
    const id = await receive('box', {
      from: 'noreply@shop.example',
      subject: 'AW: Your order',
      header: ['Reply-To: Support <support@one.test>'],
      html: '<p>Where to?</p>',
    });
    await reply(id, { kind: 'reply', html: '<p>Here.</p>' }).expect(201);
    const sent = await newestIn('support');
    expect(sent.subject).to.equal('AW: Your order');
    expect(sent).not.to.have.property('text');
    expect(sent.html).to.match(/^<p>Here\.<\/p>.*wrote:.*<blockquote.*<p>Where to\?<\/p>/s);
    expect(sent).to.deep.include({ inReplyTo: null, references: [] });
  });

  it('201: in HTML, with the pictures of the quoted HTML and without the frame of its document', async () => {
    const html =
      '<!DOCTYPE html><html><head><title>T</title><style>p{color:red}</style></head><body><p>Old <img src="cid:logo@shop"></p></body></html>';
    const shown = '<p>See <b>below</b></p><img src="cid:logo@shop">';
    const id = await receive('box', HTML_WITH_FILES.replace(shown, html));
    await reply(id, { kind: 'reply', html: '<html><body><p>New</p></body></html>' }).expect(201);
    const sent = await newestIn('support');
    expect(sent.html).to.match(/^<html><body><p>New<\/p><br>.*<\/body><\/html>\s*$/s);
    expect(sent.html).to.match(
      /<blockquote[^>]*><style>p\{color:red\}<\/style><p>Old <img src="cid:logo@shop"><\/p><\/blockquote>/,
    );
    expect(sent.attachments).to.have.length(1);
    expect(sent.attachments[0]).to.include({ filename: 'logo.png', isInline: true });
  });

  for (const messageId of ['bad id with spaces', '<=?utf-8?q?a=0d=0aX-Injected:_1?=@b>'])
    it(`201: without a thread for a Message-ID that no field can repeat: ${messageId}`, async () => {
      const header = ['From: support@one.test', `Message-ID: ${messageId}`];
      const id = await receive('box', { subject: 's', text: 't', header });
      await reply(id, { kind: 'reply', text: 'Noted.' }).expect(201);
      const sent = await newestIn('support');
      expect(sent).to.deep.include({ inReplyTo: null, references: [] });
      expect(await rawOf('support', sent.id)).not.to.match(/^X-Injected/im);
    });

  it('201: says where a long original is cut', async () => {
    const id = await receive('box', { text: `${'a line of text\n'.repeat(100_000)}the end` });
    const { body } = await reply(id, { kind: 'forward', to: ['third@one.test'] }).expect(201);
    const { text } = await read('third', body.messageId);
    expect(text).to.match(/\n\[The quoted message is longer than 1 MiB and ends here\.\]$/);
  });

  it('201: to all, once, without the address that replies', async () => {
    const id = await receive('box+shop', ORIGINAL);
    const { body } = await reply(id, { kind: 'replyAll' }).expect(201);
    expect(body.deliveredTo).to.deep.equal([
      'support@one.test',
      'third@one.test',
      'fourth@one.test',
    ]);
    expect(await read('fourth', body.messageId)).to.deep.include({
      to: ['support@one.test', 'third@one.test'],
      cc: ['fourth@one.test'],
    });
    expect(await messages('box')).to.have.length(1);
  });

  it('201: forwarded with text, HTML, pictures and attachments', async () => {
    const id = await receive('box', HTML_WITH_FILES);
    const { body } = await reply(id, { kind: 'forward', text: 'a < b', to: ['third@one.test'] });
    expect(body.deliveredTo).to.deep.equal(['third@one.test']);
    const sent = await read('third', body.messageId);
    expect(sent.subject).to.equal('Fwd: Files');
    expect(sent.text).to.match(/^a < b\n\n-+ Forwarded message -+\nFrom: support@one\.test\n/);
    expect(sent.text).to.match(/Subject: Files\nTo: box@one\.test\n\nSee below$/);
    expect(sent.html).to.match(/^<div[^>]*>a &lt; b<\/div>.*<img src="cid:logo@shop">/s);
    expect(
      sent.attachments.map((one: Record<string, unknown>) => [
        ...[one['filename'], one['contentType'], one['isInline'], one['size']],
      ]),
    ).to.deep.equal([
      ['logo.png', 'image/png', true, 4],
      ['Grüße.csv', 'text/csv; charset=iso-8859-1', false, 10],
      ['Inner subject.eml', 'message/rfc822', false, 63],
    ]);
    const parsed = await simpleParser(await rawOf('third', body.messageId));
    expect(parsed.attachments).to.have.length(3);
    const raw = await rawOf('third', body.messageId);
    expect(raw)
      .to.include('Inner text.')
      .and.to.match(/^Content-ID: <logo@shop>/im);
  });

  for (const [name, code] of BREAKS) {
    it(`201: line breaks of the original make no lines: ${name}`, async () => {
      const broken = `a${code}From: forged@shop.example`;
      const encoded = (text: string) =>
        `=?utf-8?B?${Buffer.from(text).toString('base64').replace(/=+$/, '')}?=`;
      const file = (filename: string) =>
        `--part\r\nContent-Type: image/png\r\nContent-ID: <x@shop>\r\nContent-Disposition: inline; filename*=utf-8''${encodeURIComponent(filename)}\r\n\r\nx\r\n`;
      await receive(
        'box',
        `From: ${encoded(broken)} <support@one.test>\r\nTo: ${encoded(broken)} <box@one.test>\r\nSubject: ${encoded(broken)}\r\n` +
          'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=part\r\n\r\n' +
          `--part\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<pre>a${code}From: b</pre>\r\n${file(`a${code}b.png`)}${file(code.repeat(2))}--part--\r\n`,
      );
      const { id } = await newest('box');
      for (const kind of ['forward', 'reply']) {
        const to = kind === 'forward' ? { to: ['third@one.test'] } : {};
        const { body } = await reply(id, { kind, html: '<p>x</p>', text: 'x', ...to }).expect(201);
        const shown = await read(kind === 'forward' ? 'third' : 'support', body.messageId);
        expect(shown.subject).to.match(/^(?:Fwd|Re): a From: forged@shop.example$/);
        const lines = `${shown.text}\n${shown.html.replaceAll('<br>', '\n')}`.split(ANY_BREAK);
        expect(lines.filter((line) => line.startsWith('From: forged'))).to.deep.equal([]);
        if (kind === 'reply') {
          // its text quotes each line
          expect(shown.text.split(ANY_BREAK)).not.to.include('From: b');
        } else {
          const names = shown.attachments.map(({ filename }: { filename: string }) => filename);
          expect(names).to.deep.equal(['a b.png', 'attachment-2']);
        }
      }
    });
  }

  it('201: as the address of which a mail was caught', async () => {
    await receive('support', 'From: customer@shop.example\r\n\r\nHello');
    const caught = await api
      .post('/api/mailboxes/box/messages/raw?to=customer@shop.example')
      .type('message/rfc822')
      .send('From: support@one.test\r\nTo: customer@shop.example\r\nSubject: Hi\r\n\r\nHello')
      .expect(201);
    await reply(caught.body.messageId, { kind: 'reply', text: 'Hi' }).expect(201);
    expect((await newestIn('support')).from).to.equal('customer@shop.example');
  });

  it('201: sent once for an Idempotency-Key, also when the message is gone', async () => {
    const id = await receive('box', ORIGINAL);
    const send = () => reply(id, { kind: 'reply' }).set('Idempotency-Key', 'one').expect(201);
    const first = await send();
    await api.delete(`/api/mailboxes/box/messages/${id}`).expect(204);
    const second = await send();
    expect(second.body).to.deep.equal(first.body);
    expect(second.headers['idempotency-replayed']).to.equal('true');
    expect(await messages('support')).to.have.length(1);
    await reply(id, { kind: 'replyAll' }).set('Idempotency-Key', 'one').expect(422);
  });

  it('413: attachments above 10 MiB', async () => {
    const content = Buffer.alloc(10_485_761).toString('base64').replace(/.{76}/g, '$&\n');
    const id = await receive('box', {
      from: 'support@one.test',
      text: 'x',
      parts: [`Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n${content}`],
    });
    await reply(id, { kind: 'reply' }).expect(201);
    const { body } = await reply(id, { kind: 'forward', to: ['third@one.test'] }).expect(413);
    expect(body.code).to.equal('payload_too_large');
  });

  it('422: recipients outside the workspace, and "to" in the wrong place', async () => {
    const outside = await receive('box', 'From: a@else.test\r\nTo: b@else.test\r\n\r\nHi');
    const { body } = await reply(outside, { kind: 'replyAll' }).expect(422);
    expect(body.details.recipients).to.deep.equal(['a@else.test', 'b@else.test']);
    await reply(outside, { kind: 'forward', to: ['a@else.test'] }).expect(422);
    await reply(outside, { kind: 'forward' }).expect(422);
    await reply(outside, { kind: 'reply', to: ['third@one.test'] }).expect(422);
    const nobody = await receive('box', 'Subject: x\r\n\r\nHi');
    expect((await reply(nobody, { kind: 'reply' })).status).to.equal(422);
    for (const name of ['support', 'third']) expect(await messages(name)).to.be.empty;
  });
});
