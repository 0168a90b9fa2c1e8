import { expect } from 'chai';
import supertest from 'supertest';
import { service } from '../../support/service.ts';

const PNG = 'Content-Type: image/png; name=a.png\nContent-Disposition: attachment\n\nPNG';

interface Listed {
  ID: string;
  Subject: string;
  [field: string]: unknown;
}

describe('the interface of Mailpit', () => {
  const test = service({ mailboxes: ['box', 'other'] });
  const ask = (method: 'get' | 'put' | 'delete', path: string) =>
    supertest(test.api.app)[method](`/compat/mailpit${path}`).auth('box', test.workspace.token);
  const list = async (path: string) => {
    const { body } = await ask('get', path).expect(200);
    return body as { messages: Listed[]; messages_count: number; total: number };
  };
  const subjects = async (path: string) => (await list(path)).messages.map((each) => each.Subject);

  it('lists a page of the mailbox at an offset, newest first', async () => {
    await test.receive('other', { subject: 'elsewhere' });
    for (const n of [1, 2, 3]) {
      await test.receive('box', {
        subject: `number ${n}`,
        header: [
          'From: Ann <ann@else.test>',
          'To: Bob <box@one.test>',
          `Message-ID: <${n}@else.test>`,
        ],
      });
    }
    const page = await list('/api/v1/messages?start=1&limit=1');
    expect(page).to.include({ total: 3, unread: 3, count: 1, messages_count: 3, start: 1 });
    expect(page.messages).to.have.length(1);
    expect(page.messages[0]).to.deep.include({
      Subject: 'number 2',
      MessageID: '2@else.test',
      From: { Name: 'Ann', Address: 'ann@else.test' },
      To: [{ Name: 'Bob', Address: 'box@one.test' }],
      ...{ Cc: [], Bcc: [], ReplyTo: [], Tags: [], Read: false, Attachments: 0 },
    });
    expect(await subjects('/api/v1/messages?limit=100000')).to.have.length(3);
  });

  it('adds a recipient that no field names to Bcc', async () => {
    await test.receive('box', { subject: 's', header: ['To: ann@else.test'] });
    const { body } = await ask('get', '/api/v1/message/latest').expect(200);
    expect(body.To).to.deep.equal([{ Name: '', Address: 'ann@else.test' }]);
    expect(body.Bcc).to.deep.equal([{ Name: '', Address: 'box@one.test' }]);
  });

  it('shows a message, the newest, its header, its source and its files', async () => {
    await test.receive('box', { subject: 'old' });
    const id = await test.receive('box', {
      subject: 'new',
      text: 'the text',
      html: '<p>the page</p>',
      header: ['X-Run: 1', 'X-Run: 2', 'List-Unsubscribe: <mailto:off@else.test>'],
      parts: [PNG],
    });
    const { body } = await ask('get', '/api/v1/message/latest').expect(200);
    expect(body).to.deep.include({ ID: id, Subject: 'new', Inline: [] });
    expect(body.Text).to.contain('the text');
    expect(body.HTML).to.contain('the page');
    expect(body.ListUnsubscribe.Links).to.deep.equal(['mailto:off@else.test']);
    expect(body.Attachments).to.have.length(1);
    expect(body.Attachments[0]).to.include({
      FileName: 'a.png',
      ContentType: 'image/png',
      Size: 3,
    });
    const part = `/api/v1/message/${id}/part/${body.Attachments[0].PartID}`;
    expect((await ask('get', part).expect(200)).body.toString()).to.equal('PNG');
    const headers = await ask('get', `/api/v1/message/${id}/headers`).expect(200);
    expect(headers.body).to.deep.include({ 'X-Run': ['1', '2'] });
    const raw = await ask('get', `/api/v1/message/${id}/raw`).buffer(true).expect(200);
    expect(raw.text).to.contain('X-Run: 1');
  });

  it('shows the view of a message behind a second slash', async () => {
    const id = await test.receive('box', { html: '<p>the page</p>', text: 'the text' });
    const page = await ask('get', `//view/${id}.html`).expect(200);
    expect(page.text).to.contain('<p>the page</p>');
    expect(page.headers['content-security-policy']).to.contain("default-src 'none'");
    expect((await ask('get', '//view/latest.txt').expect(200)).text).to.contain('the text');
    await ask('get', `/view/${id}.pdf`).expect(404);
  });

  it('searches as Mailpit writes queries', async () => {
    await test.receive('box', {
      subject: 'Welcome to 12:30',
      header: ['From: ann@else.test', 'To: bob@else.test'],
      text: 'Your code is 482913.',
    });
    await test.receive('box', { subject: 'Invoice', header: ['From: cy@else.test'], parts: [PNG] });
    const found = (query: string) => subjects(`/api/v1/search?query=${encodeURIComponent(query)}`);
    const [welcome, invoice] = ['Welcome to 12:30', 'Invoice'];
    expect(await found('to:bob@else.test')).to.deep.equal([welcome]);
    expect(await found('from:cy@else.test')).to.deep.equal([invoice]);
    expect(await found('subject:Welcome to 12:30')).to.deep.equal([welcome]);
    expect(await found('subject:"welcome to"')).to.deep.equal([welcome]);
    expect(await found('482913 !invoice')).to.deep.equal([welcome]);
    expect(await found('has:attachments')).to.deep.equal([invoice]);
    expect(await found('is:unread')).to.deep.equal([invoice, welcome]);
    expect(await found('is:read')).to.deep.equal([]);
    expect(await list('/api/v1/search?query=code&limit=0')).to.include({
      messages_count: 1,
      total: 2,
    });
  });

  it('deletes messages by id, by query, and all', async () => {
    const ids: string[] = [];
    for (const subject of ['a', 'b', 'c', 'd']) ids.push(await test.receive('box', { subject }));
    const foreign = await test.receive('other', { subject: 'kept' });
    await ask('delete', '/api/v1/messages')
      .send({ IDs: [ids[0], foreign] })
      .expect(200, 'ok');
    expect(await subjects('/api/v1/messages')).to.deep.equal(['d', 'c', 'b']);
    await ask('delete', '/api/v1/search?query=subject:b').expect(200, 'ok');
    expect(await subjects('/api/v1/messages')).to.deep.equal(['d', 'c']);
    await ask('delete', '/api/v1/search?query=').expect(400);
    await ask('put', '/api/v1/messages').send({ IDs: [], Read: true }).expect(200, 'ok');
    await ask('delete', '/api/v1/messages').send({ IDs: 'a' }).expect(400);
    for (const body of [{ ID: ids[2] }, [ids[2]], [], { IDs: [ids[2]], more: 1 }, { IDs: [1] }])
      await ask('delete', '/api/v1/messages').send(body).expect(400);
    await ask('delete', '/api/v1/messages').type('form').send('IDs=x').expect(400);
    for (const query of [
      '',
      ' ',
      '"',
      '""',
      '%22%20%22',
      'from:""',
      'subject:c to:""',
      'from:',
      '-"',
    ])
      await ask('delete', `/api/v1/search?query=${query}`).expect(400);
    expect(await subjects('/api/v1/messages')).to.deep.equal(['d', 'c']);
    const text = JSON.stringify({ ids: [ids[2]] });
    await ask('delete', '/api/v1/messages').type('form').send(text).expect(200, 'ok');
    expect(await subjects('/api/v1/messages')).to.deep.equal(['d']);
    await ask('delete', '/api/v1/messages').expect(200, 'ok');
    expect(await subjects('/api/v1/messages')).to.deep.equal([]);
    expect(await test.messages('other')).to.have.length(1);
  });

  it('refuses numbers that are none, and a start that reads too much', async () => {
    for (const query of ['start=x', 'start=10001', 'limit=-1', 'limit=1&limit=2']) {
      await ask('get', `/api/v1/messages?${query}`).expect(400);
    }
    await ask('get', '/api/v1/message/latest').expect(404);
    await ask('get', '/api/v1/chaos').expect(404);
    expect((await ask('get', '/api/v1/info').expect(200)).body).to.include({ Messages: 0 });
  });
});
