import { expect } from 'chai';
import { simpleParser } from 'mailparser';
import { readBlob } from '../../../core/blobs/blob-store.ts';
import { createWorkspace } from '../../../core/workspaces/workspaces.ts';
import { type TestApi, openTestApi } from '../../support/context/api.ts';
import { type TestContext, openTestContext } from '../../support/context/context.ts';

interface Shown {
  id: string;
  from: string;
  to: string[];
  cc: string[];
  subject: string;
  tag?: string;
  attachments: { filename: string; contentType: string; size: number }[];
}

describe('POST /api/mailboxes/:name/messages', () => {
  let test: TestContext;
  let api: TestApi;

  beforeEach(async () => {
    test = await openTestContext();
    api = openTestApi(test);
    for (const name of ['sender', 'first', 'second']) {
      await api.post('/api/mailboxes').send({ name }).expect(201);
    }
  });
  afterEach(() => test.close());

  const send = (body: object, name = 'sender') =>
    api.post(`/api/mailboxes/${name}/messages`).send(body);
  const messagesOf = async (name: string): Promise<Shown[]> =>
    (await api.get(`/api/mailboxes/${name}/messages`).expect(200)).body.messages;
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
    const [first] = await messagesOf('first');
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
    expect((await messagesOf('second'))[0]).to.include({ tag: 'Tag' });
    expect(await messagesOf('sender')).to.deep.equal([]);
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
    const [shown] = await messagesOf('first');
    expect(shown?.attachments[0]).to.include({ filename: 'naïve "file".pdf', size: 4 });
  });

  it('201: one message per tag as written, like SMTP', async () => {
    const { body } = await send({ to: ['first+X@one.test', 'first+x@one.test'], subject: 'case' });
    expect(body.deliveredTo).to.deep.equal(['first+x@one.test']);
    expect((await messagesOf('first')).map(({ tag }) => tag)).to.have.members(['X', 'x']);
  });

  it('201: to the sender, to several tags of one mailbox, with an empty subject and no body', async () => {
    const { body } = await send({
      to: ['sender@one.test', 'sender+a@one.test', 'sender+b@one.test'],
      subject: '',
    });
    expect(body.deliveredTo).to.have.length(3);
    expect((await messagesOf('sender')).map(({ tag }) => tag)).to.have.members([
      undefined,
      'a',
      'b',
    ]);
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

  for (const [what, body] of [
    ['no recipients field', { subject: 'x' }],
    ['no subject', { to: ['first@one.test'] }],
    ['to of the wrong type', { to: 'first@one.test', subject: 'x' }],
    ['an unknown field', { to: ['first@one.test'], subject: 'x', bcc: [] }],
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
      expect(await messagesOf('first')).to.deep.equal([]);
    });
  }

  it('400: no body', async () => {
    await api.post('/api/mailboxes/sender/messages').expect(400);
    await api.post('/api/tokens').expect(400);
  });

  it('401: no token', async () => {
    await api.post('/api/mailboxes/sender/messages', null).send({}).expect(401);
  });

  it('404: an unknown mailbox, or one of another workspace', async () => {
    await send({ to: ['first@one.test'], subject: 'x' }, 'none').expect(404);
    const other = await createWorkspace(test.context, { name: 'o', domain: 'o.test', plan: 'pro' });
    await api
      .post('/api/mailboxes/sender/messages', other.token)
      .send({ to: ['first@one.test'], subject: 'x' })
      .expect(404);
  });

  it('413: attachments one byte above 10 MiB in total, and a body above 20 MiB', async () => {
    const part = (size: number) => ({ data: Buffer.alloc(size).toString('base64') });
    const above = await send({
      to: ['first@one.test'],
      subject: 'x',
      attachments: [part(10_485_760), part(1)],
    }).expect(413);
    expect(above.body.error).to.contain('10 MiB');
    await send({ to: ['first@one.test'], subject: 'x', text: 'x'.repeat(21_000_000) }).expect(413);
    expect(await messagesOf('first')).to.deep.equal([]);
  });

  it('422: names each bad recipient and sends nothing', async () => {
    const other = await createWorkspace(test.context, { name: 'o', domain: 'o.test', plan: 'pro' });
    await api.post('/api/mailboxes', other.token).send({ name: 'theirs' }).expect(201);
    const bad = [
      'none@one.test',
      'not an address',
      'theirs@o.test',
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
    expect(await messagesOf('first')).to.deep.equal([]);
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
