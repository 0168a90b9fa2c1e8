import { expect } from 'chai';
import supertest from 'supertest';
import { service } from '../../support/service.ts';

describe('the interface of MailHog', () => {
  const test = service({ mailboxes: ['box'] });
  const ask = (method: 'get' | 'delete', path: string) =>
    supertest(test.api.app)
      [method](`/compat/mailhog/api${path}`)
      .auth('box@one.test', test.workspace.token);
  const subjects = async (path: string) => {
    const { body } = await ask('get', path).expect(200);
    const { items } = body as { items: { Content: { Headers: { Subject: string[] } } }[] };
    return items.map(({ Content }) => Content.Headers.Subject[0]);
  };

  it('lists messages with their parts in the encoding of the mail', async () => {
    const mail = [
      ...['From: ann@else.test', 'To: box@one.test', 'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?='],
      ...['Message-ID: <1@else.test>', 'content-type: multipart/mixed; boundary=x', '', '--x'],
      ...['Content-Type: multipart/alternative; boundary=y', '', '--y'],
      ...['Content-Type: text/plain', 'Content-Transfer-Encoding: base64', '', 'dGV4dA==', '--y--'],
      ...['--x', 'Content-Type: text/csv', '', 'a;b', '--x--', ''],
    ].join('\r\n');
    const id = await test.receive('box', mail);
    const { body } = await ask('get', '/v2/messages').expect(200);
    expect(body).to.include({ total: 1, count: 1, start: 0 });
    const [item] = body.items;
    expect(item).to.deep.include({ ID: id });
    expect(item.To).to.deep.equal([
      { Relays: null, Mailbox: 'box', Domain: 'one.test', Params: '' },
    ]);
    expect(item.Content.Headers).to.deep.include({ Subject: ['=?utf-8?q?Gr=C3=BC=C3=9Fe?='] });
    // The names are as the mail writes them.
    expect(item.Content.Headers).to.include.keys('content-type', 'Message-ID');
    const [alternative, file] = item.MIME.Parts;
    expect(alternative.MIME.Parts[0].Body).to.equal('dGV4dA==');
    expect(alternative.Body).to.equal('');
    expect(file.Body).to.equal('a;b');
    expect(item.Raw.Data).to.contain('--x--');
    expect(item.Raw.To).to.deep.equal(['box@one.test']);
    expect((await ask('get', `/v1/messages/${id}`).expect(200)).body).to.deep.equal(item);
    expect((await ask('get', '/v1/messages').expect(200)).body).to.deep.equal([item]);
  });

  it('finds messages by sender, recipient and decoded text, and pages by offset', async () => {
    await test.receive('box', {
      subject: 'one',
      text: 'first code',
      header: ['From: a@else.test'],
    });
    await test.receive('box', { subject: 'two', text: 'other', header: ['From: b@else.test'] });
    expect(await subjects('/v2/search?kind=from&query=a@else.test')).to.deep.equal(['one']);
    expect(await subjects('/v2/search?kind=containing&query=first%20code')).to.deep.equal(['one']);
    expect(await subjects('/v2/search?kind=to&query=nobody@else.test')).to.deep.equal([]);
    expect(await subjects('/v2/messages?start=1&limit=5')).to.deep.equal(['one']);
    await ask('get', '/v2/search?kind=size&query=1').expect(400);
    for (const query of ['', '%20', '%E2%80%8B', 'x'.repeat(1001)]) {
      await ask('get', `/v2/search?kind=containing&query=${query}`).expect(400);
    }
    await ask('get', '/v2/jim').expect(404);
  });

  it('finds parts of texts, of header fields, of targets of links, and of the envelope', async () => {
    await test.receive('box', {
      subject: '=?utf-8?q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln?=',
      from: 'Ann Lee <ann.lee@example.test>',
      header: ['To: Bob Ray <bob.ray@example.test>', 'X-Order: ORD-991,', ' second line'],
      html: '<p>Hello wor<b>ld</b></p><a href="https://else.test/r?a=1&amp;token=AbC-9">Go</a>',
      parts: [
        'Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\nZGVjb2RlZCA8Ym9keT4=',
      ],
    });
    await test.receive('box', { subject: 'other', text: 'other' });
    const cases = [
      ...['containing=ord-99', 'containing=991, second', 'containing=llo world', 'containing=ORL'],
      ...['containing=grüße aus k', 'containing=?a=1&token=abc-9', 'containing=coded <bo'],
      ...['to=bob.ray@exam', 'to=Bob R', 'to=box@one', 'from=ann.lee@exam', 'from=nn lee'],
    ];
    for (const each of cases) {
      const [kind = '', ...rest] = each.split('=');
      const query = encodeURIComponent(rest.join('='));
      const found = await subjects(`/v2/search?kind=${kind}&query=${query}`);
      expect(found, each).to.include('=?utf-8?q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln?=');
      expect(found, each).to.have.length(each === 'to=box@one' ? 2 : 1);
    }
    for (const none of ['from=bob.ray', 'to=ann.lee', 'containing=href', 'to=ex.mple']) {
      const [kind = '', query = ''] = none.split('=');
      expect(await subjects(`/v2/search?kind=${kind}&query=${query}`), none).to.deep.equal([]);
    }
  });

  it('deletes one message, and all', async () => {
    const id = await test.receive('box', { subject: 'one' });
    await test.receive('box', { subject: 'two' });
    await ask('delete', `/v1/messages/${id}`).expect(200);
    expect(await subjects('/v2/messages')).to.deep.equal(['two']);
    await ask('delete', '/v1/messages').expect(200);
    expect(await subjects('/v2/messages')).to.deep.equal([]);
  });

  it('repeats no byte of nested multiparts, and shows only the header of a large mail', async () => {
    const depth = 300;
    const open = Array.from(
      { length: depth },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
    );
    const text = 'x'.repeat(100_000);
    await test.receive('box', `Subject: deep\r\n${open.join('')}\r\n${text}\r\n`);
    const deep = await ask('get', '/v2/messages').expect(200);
    expect(JSON.stringify(deep.body).length).to.be.below(600_000);
    await ask('delete', '/v1/messages').expect(200);
    await test.receive(
      'box',
      `Subject: large\r\n\r\n${'y'.repeat(78) + '\r\n'}`.padEnd(6_000_000, 'z'),
    );
    const large = await ask('get', '/v2/messages').expect(200);
    expect(large.body.items[0].Content).to.include({ Body: '', Size: 6_000_000 });
    expect(large.body.items[0].Content.Headers.Subject).to.deep.equal(['large']);
  });
});
