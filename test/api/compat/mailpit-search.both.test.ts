import { expect } from 'chai';
import supertest from 'supertest';
import { service } from '../../support/service.ts';

const PDF =
  'Content-Type: application/pdf; name=Invoice-77.pdf\nContent-Disposition: attachment\n\n';
const PICTURE =
  'Content-Type: image/png\nContent-ID: <logo>\nContent-Disposition: inline; filename=logo.png\n\nPNG';

const HOUR = 3_600_000;

describe('searches and deletions as Mailpit writes them', () => {
  const test = service({ mailboxes: ['box'] });
  const ask = (method: 'get' | 'delete', query: string, rest = '') =>
    supertest(test.api.app)
      [method](`/compat/mailpit/api/v1/search?query=${encodeURIComponent(query)}${rest}`)
      .auth('box', test.workspace.token);
  const found = async (query: string, rest = '') => {
    const { body, status } = await ask('get', query, rest);
    expect(status, `${query}: ${JSON.stringify(body)}`).to.equal(200);
    const { messages, messages_count: count } = body as {
      messages: { Subject: string }[];
      messages_count: number;
    };
    expect(count).to.equal(messages.length);
    return messages.map(({ Subject }) => Subject);
  };
  const left = async () => (await test.messages('box')).map(({ subject }) => subject);

  const RESET = 'Reset your password, now';
  const REPORT = 'old report';
  const BIG = 'Big file';
  /** Three messages, newest first. */
  const ALL = [BIG, REPORT, RESET];

  const fill = async () => {
    const base = Date.now() - 5 * HOUR;
    await test.receive(
      'box',
      {
        subject: RESET,
        from: '"Ann Lee" <ann.lee@shop.example>',
        header: [
          'To: Bob Ray <bob@client.example>',
          'Cc: accounts@client.example',
          'Reply-To: Help Desk <desk@shop.example>',
          'Message-ID: <reset-77@shop.example>',
          'X-Tags: Signup, Password Reset',
        ],
        html: '<p>Hello  <b>wor</b>ld of &lt;jdsauk;dwqmdqw;&gt;</p><a href="https://shop.example/r?token=AbC-9xyz">Go</a><img src="cid:logo">',
        parts: [PICTURE],
      },
      base,
    );
    await test.receive(
      'box+Build42',
      {
        subject: REPORT,
        from: 'cy@else.test',
        header: ['To: box@one.test', 'Bcc: audit@shop.example'],
        text: 'The Straße is at 12:30, see https://else.test/path',
      },
      base + HOUR,
    );
    await test.receive(
      'box',
      { subject: BIG, from: 'dee@else.test', parts: [`${PDF}${'x'.repeat(3000)}`] },
      base + 2 * HOUR,
    );
  };

  const CASES: [query: string, ...subjects: string[]][] = [
    ['subject:"Reset your pass"', RESET],
    ['subject:word', RESET],
    ['subject:"password, now"', RESET],
    ['SUBJECT:RESET', RESET],
    ['-subject:"Reset your pass"', BIG, REPORT],
    ['!subject:word', BIG, REPORT],
    ['orld', RESET],
    ['"hello wor"', RESET],
    ['hello orld -report', RESET],
    ['"of jdsauk dwqmdqw"', RESET],
    ['strasse', REPORT],
    ['12:30', REPORT],
    ['12:', REPORT],
    ['https://else.test/path', REPORT],
    ['-https://else.test/path', BIG, RESET],
    ['else.test', BIG, REPORT],
    ['token=abc-9XYZ', RESET],
    ['nvoice-77', BIG],
    ['from:ann.lee@sh', RESET],
    ['from:"Ann Lee <ann"', RESET],
    ['to:client', RESET],
    ['to:"bob ray"', RESET],
    ['to:box@one.test', BIG, REPORT],
    ['-to:box@one.test', RESET],
    ['cc:accounts', RESET],
    ['-cc:accounts', BIG, REPORT],
    ['bcc:audit@shop.example', REPORT],
    ['bcc:box@one.test', RESET],
    ['-bcc:audit@shop.example', BIG, RESET],
    ['reply-to:desk', RESET],
    ['!reply-to:desk', BIG, REPORT],
    ['addressed:desk', RESET],
    ['addressed:audit', REPORT],
    ['addressed:accounts', RESET],
    ['addressed:client.example', RESET],
    ['addressed:dee', BIG],
    ['-addressed:shop.example', BIG],
    ['message-id:reset-77', RESET],
    ['message-id:<reset-77@shop.example>', RESET],
    ['-message-id:reset-77', BIG, REPORT],
    ['tag:build42', REPORT],
    ['tag:build'],
    ['tag:"password reset"', RESET],
    ['-tag:Build42', BIG, RESET],
    ['is:tagged', REPORT, RESET],
    ['-is:tagged', BIG],
    ['is:read'],
    ['is:unread', ...ALL],
    ['-is:read', ...ALL],
    ['!is:read', ...ALL],
    ['-is:unread'],
    ['has:attachment', BIG],
    ['has:attachments', BIG],
    ['-has:attachment', REPORT, RESET],
    ['has:inline', RESET],
    ['has:inlines', RESET],
    ['-has:inline', BIG, REPORT],
    ['larger:2kb', BIG],
    ['larger:"2.5 KB"', BIG],
    ['larger:2500', BIG],
    ['larger:100kb'],
    ['-larger:2k', REPORT, RESET],
    ['!larger:2k', REPORT, RESET],
    ['smaller:2kb', REPORT, RESET],
    ['smaller:1mb', ...ALL],
    ['smaller:1m subject:big', BIG],
    ['subject:"old report" -larger:100kb', REPORT],
    ['-"old report"', BIG, RESET],
    ['-', BIG, RESET],
    ['"-larger:100kb"'],
    ['sub"ject:x"'],
    ['subject:re"set your"', RESET],
    ['localhost:3000'],
  ];
  beforeEach(fill);

  it('finds what each operator of Mailpit finds, parts of texts, and what is excluded', async () => {
    const results: typeof CASES = [];
    for (const [query] of CASES) results.push([query, ...(await found(query))]);
    expect(results).to.deep.equal(CASES);
  });

  it('counts files as has:attachment does, without pictures of the body', async () => {
    for (const [query, files] of [
      ['has:inline', 0],
      ['has:attachment', 1],
    ]) {
      const { body } = await ask('get', `${query}`).expect(200);
      expect(body.messages).to.have.length(1);
      expect(body.messages[0].Attachments, `${query}`).to.equal(files);
    }
  });

  it('reads long bodies in part of a word and in the targets of their links', async () => {
    const page = '<p>some words of a long text</p>'.repeat(4000);
    const html = `${page}<a href="https://shop.example/LONG-77">x</a><p>the e<b>nd</b>ing</p>`;
    await test.receive('box', { subject: 'long', html, text: 'y'.repeat(40_000) + 'Tail' });
    for (const query of [
      'long-77',
      'he ending',
      'yytail',
      'some -addressed:audit yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyt',
    ]) {
      expect(await found(query), query).to.deep.equal(['long']);
    }
    expect(await found('-yytail subject:n')).to.deep.equal([RESET]);
  });

  it('400: an operator, a value or a query that Mailpit does not have, also in a deletion', async () => {
    const refused = [
      '',
      '-unknownop:x',
      '-larger:abc',
      'subject:',
      'is:starred',
      'x '.repeat(2500),
    ];
    for (const method of ['get', 'delete'] as const) {
      for (const query of refused) {
        expect((await ask(method, query)).status, `${method} ${query}`).to.equal(400);
      }
      expect((await ask(method, 'report', '&tz=Nowhere')).status).to.equal(400);
      expect((await ask(method, 'report', '&query=x')).status).to.equal(400);
    }
    for (const query of ['is:unread', '-is:read']) await ask('delete', query).expect(400);
    expect(await left()).to.deep.equal(ALL);
  });

  it('deletes what a search finds, and nothing else', async () => {
    const deletions: [query: string, ...kept: string[]][] = [
      ['subject:"old report" -larger:100kb', BIG, RESET],
      ['larger:100kb', ...ALL],
      ['-bcc:audit@shop.example', REPORT],
      ['-is:tagged', REPORT, RESET],
      ['!has:inline', RESET],
      ['subject:word', BIG, REPORT],
      ['-larger:2kb', BIG],
      ['12:30', BIG, RESET],
      ['"-larger:100kb"', ...ALL],
      ['-subject:x'],
    ];
    for (const [query, ...kept] of deletions) {
      await test.api.delete('/api/mailboxes/box/messages').expect(200);
      await fill();
      const listed = await found(query);
      await ask('delete', query).expect(200, 'ok');
      expect(await left(), query).to.deep.equal(kept);
      expect([...listed, ...kept].sort(), query).to.deep.equal([...ALL].sort());
    }
  });

  it('reads times in the zone of the request', async () => {
    await test.api.delete('/api/mailboxes/box/messages').expect(200);
    const at = Math.floor(Date.now() / HOUR) * HOUR - HOUR / 2;
    await test.receive('box', { subject: 'found' }, at);
    /** The local time so many minutes after the message, in a zone of so many hours. */
    const local = (minutes: number, hours = 0) =>
      new Date(at + minutes * 60_000 + hours * HOUR).toISOString().slice(0, 16);
    const day = local(0).slice(0, 10);
    const [year, month, date] = day.split('-');
    const asked: [query: string, zone: string, isFound: boolean][] = [
      [`after:${day}`, '', true],
      [`before:${day}`, '', false],
      [`-before:${day}`, '', true],
      [`after:${month}/${date}/${year}`, '', true],
      [`after:${year}/${month}/${date}`, '', true],
      [`after:"${local(0).replace('T', ' ')}"`, '', true],
      [`before:${local(0)}`, '', true],
      [`after:${local(1)}`, '', false],
      [`after:${local(0)}:01Z`, '', false],
      [`after:${local(-1, 2)}`, 'Etc/GMT-2', true],
      [`after:${local(1, 2)}`, 'Etc/GMT-2', false],
      [`-after:${local(1, 2)}`, 'Etc/GMT-2', true],
      [`before:${local(1)}Z`, 'Etc/GMT-2', true],
      [`before:"${local(1, 2)} +0200"`, '', true],
      [`after:${Math.floor(at / 1000)}`, '', true],
      [`before:${at - 1}`, '', false],
    ];
    for (const [query, zone, isFound] of asked) {
      const subjects = isFound ? ['found'] : [];
      const rest = zone === '' ? '' : `&tz=${encodeURIComponent(zone)}`;
      expect(await found(query, rest), `${query} ${zone}`).to.deep.equal(subjects);
    }
  });
});
