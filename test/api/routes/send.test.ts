import { expect } from 'chai';
import { simpleParser } from 'mailparser';
import { readBlob } from '../../../core/blobs/blob-store.ts';
import { service } from '../../support/service.ts';

describe('POST /api/mailboxes/:name/messages', () => {
  const test = service({ mailboxes: ['sender', 'first', 'second'] });
  const { api, messages } = test;

  const send = (body: object, name = 'sender') =>
    api.post(`/api/mailboxes/${name}/messages`).send(body);
  const rawOf = async () => {
    const [mail] = await test.context.store.db.select().from(test.context.store.db.t.mails);
    return mail!.raw ?? (await readBlob(test.context.blobs, mail!.rawBlobKey!))!;
  };

  it('201: stored in every recipient mailbox before the response, not in the sender’s', async () => {
    const { body } = await send({
      to: ['First@one.test', 'first@ONE.test'],
      cc: ['second+Tag@one.test'],
      subject: 'Grüße',
      text: 'Hallo\n.\nWelt',
      html: '<p>Hallo</p>',
      from: 'Zoë "QA" <x@evil.test>',
    }).expect(201);
    expect(body).to.have.all.keys('messageId', 'deliveredTo');
    expect(body.deliveredTo).to.deep.equal(['first@one.test', 'second+tag@one.test']);
    const [first] = await messages('first');
    expect(first).to.deep.include({
      id: body.messageId,
      from: 'sender@one.test',
      fromName: 'Zoë "QA" <x@evil.test>',
      to: ['first@one.test'],
      cc: ['second+tag@one.test'],
      subject: 'Grüße',
      text: 'Hallo\n.\nWelt',
      html: '<p>Hallo</p>',
      attachments: [],
    });
    expect((await messages('second'))[0]).to.include({ tag: 'Tag' });
    expect(await messages('sender')).to.deep.equal([]);
  });

  it('201: the source is a real mail with the same content', async () => {
    await send({
      to: ['first@one.test'],
      subject: 'Ünïcode — long '.repeat(20),
      text: 'plain',
      html: '<b>rich</b>',
      attachments: [
        {
          filename: 'naïve "file".pdf',
          contentType: 'application/pdf',
          data: Buffer.from('%PDF').toString('base64'),
        },
      ],
    }).expect(201);
    const parsed = await simpleParser(await rawOf());
    expect(parsed.subject).to.equal('Ünïcode — long '.repeat(20));
    expect(parsed.from?.value[0]).to.deep.include({ address: 'sender@one.test' });
    expect(parsed.text?.trim()).to.equal('plain');
    expect(parsed.attachments[0]).to.include({
      filename: 'naïve "file".pdf',
      contentType: 'application/pdf',
    });
    const [shown] = await messages('first');
    expect(shown?.attachments[0]).to.include({ filename: 'naïve "file".pdf', size: 4 });
  });

  it('201: the type of an attachment and its parameters, as of a received mail', async () => {
    const contentType = 'Text/Calendar; charset=utf-8; method=REQUEST';
    const attachments = [{ filename: 'a.ics', contentType, data: 'YQ==' }];
    await send({ to: ['first@one.test'], subject: 'x', attachments }).expect(201);
    const raw = await rawOf();
    expect(raw.toString('latin1')).to.match(
      /^content-type: text\/calendar;\s+charset=utf-8;\s+method=REQUEST/im,
    );
    await test.receive('second', raw);
    for (const name of ['first', 'second']) {
      const [shown] = await messages(name);
      expect(shown?.attachments[0], name).to.include({
        contentType: 'text/calendar; method=REQUEST; charset=utf-8',
      });
    }
  });

  it('201: one message per tag as written, like SMTP', async () => {
    const { body } = await send({ to: ['first+X@one.test', 'first+x@one.test'], subject: 'case' });
    expect(body.deliveredTo).to.deep.equal(['first+x@one.test']);
    expect((await messages('first')).map(({ tag }) => tag)).to.have.members(['X', 'x']);
  });

  it('201: to the sender, to several tags of one mailbox, with an empty subject and no body', async () => {
    const { body } = await send({
      to: ['sender@one.test', 'sender+a@one.test', 'sender+b@one.test'],
      subject: '',
    });
    expect(body.deliveredTo).to.have.length(3);
    expect((await messages('sender')).map(({ tag }) => tag)).to.have.members([undefined, 'a', 'b']);
  });

  it('201: attachments of exactly 10 MiB in total, the large one in the blob store', async () => {
    const part = (size: number) => ({
      filename: `${size}`,
      data: Buffer.alloc(size, 1).toString('base64'),
    });
    await send({
      to: ['first@one.test'],
      subject: 'large',
      attachments: [part(10_485_760 - 1_048_576), part(1_048_576)],
    }).expect(201);
    const rows = await test.context.store.db.select().from(test.context.store.db.t.attachments);
    expect(rows.map(({ size, blobKey }) => [size, blobKey !== null])).to.have.deep.members([
      [9_437_184, true],
      [1_048_576, false],
    ]);
    expect(await readBlob(test.context.blobs, rows[0]!.blobKey!)).to.have.length(9_437_184);
    expect((await simpleParser(await rawOf())).attachments).to.have.length(2);
  });

  it('201: header fields, Reply-To and the address of the sender, as of a received mail', async () => {
    await send({
      to: ['first@one.test'],
      subject: 'x',
      from: 'Ann',
      fromAddress: ' Ann+Home@shop.example ',
      replyTo: 'help@shop.example',
      headers: {
        'X-Team': 'Grüße \u{1f389}',
        'In-Reply-To': '<a@shop.example>',
        references: '<root@shop.example> <a@shop.example>',
        'List-Id': 'News <news.shop.example>',
        'Auto-Submitted': 'auto-generated',
      },
    }).expect(201);
    await test.receive('second', await rawOf());
    for (const name of ['first', 'second']) {
      const { id } = (await messages(name))[0]!;
      const path = `/api/mailboxes/${name}/messages/${id}`;
      const { body } = await api.get(path).expect(200);
      expect(body, name).to.deep.include({
        from: 'Ann+Home@shop.example',
        fromName: 'Ann',
        inReplyTo: '<a@shop.example>',
        references: ['<root@shop.example>', '<a@shop.example>'],
        listId: 'news.shop.example',
        autoSubmitted: 'auto-generated',
      });
      expect(body.recipients.replyTo).to.deep.equal([{ address: 'help@shop.example', name: null }]);
      const { headers } = (await api.get(`${path}/headers`).expect(200)).body;
      expect(headers).to.deep.include({ name: 'X-Team', value: 'Grüße \u{1f389}' });
    }
    const several = ['a@one.test', 'b@shop.example'];
    const id = await test.send('sender', {
      to: ['first@one.test'],
      subject: 'x',
      replyTo: several,
    });
    const { body } = await api.get(`/api/mailboxes/first/messages/${id}`).expect(200);
    expect(body.from).to.equal('sender@one.test');
    expect(
      body.recipients.replyTo.map(({ address }: { address: string }) => address),
    ).to.deep.equal(several);
    expect(body.envelope).to.deep.equal({ from: 'sender@one.test', to: ['first@one.test'] });
  });

  it('422: header fields that Mayfly sets, malformed ones, and addresses that are none', async () => {
    const refused = [
      ...['From', 'sender', 'REPLY-TO', 'To', 'Cc', 'Bcc', 'Subject', 'Date', 'Message-ID'],
      ...['MIME-Version', 'Content-Type', 'content-transfer-encoding', 'Resent-To', 'Received'],
      ...['Return-Path', 'X Y', 'X:Y', 'Ü', '', 'x'.repeat(77)],
    ];
    for (const name of refused) {
      const sent = { to: ['first@one.test'], subject: 'x', headers: { [name]: 'x' } };
      const { body } = await send(sent).expect(422);
      expect(body.error, name).to.include(JSON.stringify(name.slice(0, 76)));
    }
    for (const fields of [
      { headers: { 'X-A': 'a\r\nBcc: b@one.test' } },
      { headers: { 'X-A': 'a', 'x-a': 'b' } },
      { fromAddress: 'not an address' },
      { fromAddress: 'a@b.test\r\nBcc: c@one.test' },
      { replyTo: '' },
      { replyTo: ['a@b.test', 'Ann <a@b.test>'] },
      { headers: { 'X-A': ' ' } },
    ]) {
      await send({ to: ['first@one.test'], subject: 'x', ...fields }).expect(422);
    }
    const named = { to: ['first@one.test'], subject: 'x', fromAddress: 'Ann <a@b.test>' };
    expect((await send(named).expect(422)).body.error).to.equal(
      'Invalid address "Ann <a@b.test>" in "fromAddress": give the address alone, without a name. Nothing was sent.',
    );
    const many = { to: ['first@one.test'], subject: 'x', replyTo: Array(11).fill('a@b.test') };
    expect((await send(many).expect(400)).body.error).to.match(/"replyTo" .*10 items/);
    await send({ to: ['first@one.test'], subject: 'x', headers: ['a'] }).expect(400);
    await send({ to: ['first@one.test'], subject: 'x', headers: { 'X-A': 1 } }).expect(400);
    expect(await messages('first')).to.deep.equal([]);
  });

  for (const [what, body] of [
    ['bad base64', { to: ['first@one.test'], subject: 'x', attachments: [{ data: 'a b' }] }],
    [
      'base64 without padding',
      { to: ['first@one.test'], subject: 'x', attachments: [{ data: 'YQ' }] },
    ],
    ['url-safe base64', { to: ['first@one.test'], subject: 'x', attachments: [{ data: '_-8=' }] }],
    [
      'a content type that is none',
      { to: ['first@one.test'], subject: 'x', attachments: [{ contentType: 'a\r\nX: y' }] },
    ],
  ] as const) {
    it(`400: ${what}`, async () => {
      await send(body).expect(400);
      expect(await messages('first')).to.deep.equal([]);
    });
  }

  it('413: attachments one byte above 10 MiB in total', async () => {
    const part = (size: number) => ({ data: Buffer.alloc(size).toString('base64') });
    const above = await send({
      to: ['first@one.test'],
      subject: 'x',
      attachments: [part(10_485_760), part(1)],
    }).expect(413);
    expect(above.body.error).to.contain('10 MiB');
    expect(await messages('first')).to.deep.equal([]);
  });

  it('422: names each bad recipient and sends nothing', async () => {
    await api
      .post('/api/mailboxes', await test.stranger())
      .send({ name: 'theirs' })
      .expect(201);
    const bad = [
      'none@one.test',
      'not an address',
      'theirs@other1.test',
      'a@elsewhere.example',
      '',
      'first@one.test\r\nBcc: x',
    ];
    const answer = await send({
      to: ['first@one.test', ...bad.slice(0, 3)],
      cc: bad.slice(3),
      subject: 'x',
    }).expect(422);
    expect(answer.body.details.recipients).to.deep.equal(bad);
    for (const address of bad.slice(0, 4)) expect(answer.body.error).to.contain(address);
    expect(await messages('first')).to.deep.equal([]);
  });

  it('422: empty `to`, and line breaks in header values', async () => {
    await send({ to: [], cc: ['first@one.test'], subject: 'x' }).expect(422);
    await send({ to: ['first@one.test'], subject: 'x\r\nBcc: all@one.test' }).expect(422);
    await send({ to: ['first@one.test'], subject: 'x', from: 'a\nB: c' }).expect(422);
    const attachments = [{ filename: 'a\r\nX: y', data: '' }];
    await send({ to: ['first@one.test'], subject: 'x', attachments }).expect(422);
  });

  it('allows no header injection', async () => {
    await send({
      to: ['first@one.test'],
      subject: 'x\u2028Bcc: a@b.test',
      from: 'A" <b@c.test>, "D',
      attachments: [
        { filename: 'a"; x="X-Evil: 1.txt', contentType: 'text/plain; name="x"', data: '' },
      ],
    }).expect(201);
    const raw = (await rawOf()).toString('latin1');
    expect(raw).not.to.match(/^x-evil:/im);
    expect(raw).not.to.match(/^bcc:/im);
    const parsed = await simpleParser(await rawOf());
    expect(parsed.from?.value).to.have.length(1);
    expect(parsed.from?.value[0]?.address).to.equal('sender@one.test');
  });
});
