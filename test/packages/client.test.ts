import { expect } from 'chai';
import {
  type EnclosedMessage,
  type Inbox,
  type Mailbox,
  type Mayfly,
  MayflyError,
  MayflyTimeout,
  MayflyUnexpectedMessage,
  createClient,
} from '@mayfly/client';
import { createToken, revokeToken } from '../../core/auth/tokens.ts';
import { FORWARDED } from '../support/mail/forwarded-mail.ts';
import { rejection } from '../support/mocha/rejection.ts';
import { service } from '../support/service.ts';

const NOWHERE =
  'No other mailbox of this token has received mail meanwhile: check that the application sends it, and its SMTP_URL.';

describe('@mayfly/client', () => {
  const test = service({ env: { RATE_LIMIT_PRO: '0' }, once: true });
  let url: string;
  let token: string;
  let mayfly: Mayfly;
  let inbox: Mailbox;

  before(async () => {
    ({ MAYFLY_URL: url, MAYFLY_TOKEN: token } = await test.clientEnv());
    mayfly = createClient({ url: `${url}/`, token });
  });
  beforeEach(async () => {
    inbox = await mayfly.mailboxes.create({ labels: { run: 'r1' }, expiresIn: 900 });
  });

  const receive = (subject: string, text = '') => {
    const [from, header] = ['Shop <noreply@shop.example>', [`To: ${inbox.address}`]];
    return test.receive(inbox.address, { from, subject, text, header });
  };

  it('creates, lists, gets and deletes mailboxes', async () => {
    expect(inbox.address).to.equal(`${inbox.name}@one.test`);
    expect(inbox.labels).to.deep.equal({ run: 'r1' });
    expect((await mayfly.mailboxes.get(inbox.name)).id).to.equal(inbox.id);
    const other = await mayfly.mailboxes.create({ labels: { run: 'r2' } });
    const listed = await mayfly.mailboxes.list({ labels: { run: 'r2' } });
    expect(listed.map(({ name }) => name)).to.deep.equal([other.name]);
    expect(await mayfly.mailboxes.delete({ labels: { run: 'r2' } })).to.equal(1);
    const gone = await rejection(mayfly.mailboxes.get(other.name));
    expect(gone).to.be.instanceOf(MayflyError).and.to.include({ status: 404, code: 'not_found' });
    expect((gone as MayflyError).requestId).to.match(/^req_/);
    expect(await mayfly.mailboxes.delete(inbox.name)).to.equal(1);
  });

  it('lists more mailboxes than a page has', async () => {
    const labels = { run: 'paged' };
    await test.api.post('/api/mailboxes/batch').send({ count: 100, labels }).expect(201);
    await mayfly.mailboxes.create({ labels });
    const listed = await mayfly.mailboxes.list({ labels });
    expect(new Set(listed.map(({ name }) => name)).size).to.equal(101);
  });

  it('waits for mail in all mailboxes, wherever it goes', async () => {
    const mark = await mayfly.mark();
    const other = await mayfly.mailboxes.create();
    const waiting = mayfly.wait({ subject: 'Invoice', mark });
    await receive('Welcome');
    await test.receive(other.address, { subject: 'Invoice', text: 'Your code is 482913.' });
    expect(await waiting).to.include({ subject: 'Invoice', mailbox: other.name });
    expect(await mayfly.waitForCode({ mark })).to.equal('482913');
    const link = rejection(mayfly.waitForLink('verify', { mark, timeout: 0 }));
    expect(String(await link)).to.include(': 2 messages in all mailboxes\n');
    const missed = await rejection(mayfly.wait({ subject: 'Refund', mark, timeout: 0 }));
    expect(missed).to.be.instanceOf(MayflyTimeout).and.to.have.property('mailbox', null);
    expect(String(missed)).to.include(`"Welcome" in "${inbox.name}" fails: subject`);
  });

  it('expects no mail to anybody', async () => {
    const mark = await mayfly.mark();
    await mayfly.expectNone({ mark, within: 0 });
    await receive('Welcome');
    const unexpected = await rejection(mayfly.expectNone({ mark, within: 0 }));
    expect(unexpected).to.be.instanceOf(MayflyUnexpectedMessage);
    expect(String(unexpected)).to.match(/: Expected no message in any mailbox, but msg_/);
    expect(String(unexpected)).to.include(` is in "${inbox.name}".`);
    const foreign = await rejection(inbox.wait({ mark, timeout: 0 }));
    expect(foreign).to.include({ status: 400 });
    expect(String(foreign)).to.include('Take a new one: inbox.mark().');
    const own = await inbox.mark();
    const reverse = await rejection(mayfly.wait({ mark: own, timeout: 0 }));
    expect(String(reverse)).to.include('Take a new one: mayfly.mark().');
  });

  it('waits for a message that arrives later, by patterns and by criteria of the service', async () => {
    await receive('Welcome', 'Hello.');
    const waiting = inbox.wait({ subject: /^sign-?in/gi, text: /mallard/, from: '@shop.example' });
    await receive('Sign-in', 'Not this one.');
    await receive('Signin', 'The mallard.');
    expect((await waiting).subject).to.equal('Signin');
    expect(
      (await inbox.wait({ subject: 'welcome', header: { Subject: 'Welcome' } })).text,
    ).to.match(/^Hello/);
  });

  /** The number of requests of some work with the mailbox. */
  const requestsOf = async (work: (counted: Inbox) => Promise<unknown>) => {
    let requests = 0;
    const counted: typeof fetch = (request) => {
      requests += 1;
      return fetch(request);
    };
    await work(createClient({ url, token, fetch: counted }).inbox(inbox.name));
    return requests;
  };

  it('reads many messages that do not fit in pages of 100', async () => {
    for (let n = 0; n < 5; n += 1) await receive(`Mail ${n}`);
    const requests = await requestsOf(async (counted) => {
      expect((await counted.wait({ subject: /Mail 4/ })).subject).to.equal('Mail 4');
    });
    expect(requests).to.equal(2);
  });

  it('waits after a mark', async () => {
    await receive('Your code', 'Your code is 111111.');
    const mark = await inbox.mark();
    await receive('Your code', 'Your code is 222222.');
    expect(await inbox.waitForCode({ mark })).to.equal('222222');
  });

  it('passes over messages without a code, and finds links by kind', async () => {
    await receive('Your parcel', 'It is on its way.');
    await receive('Your parcel', 'It has arrived.');
    await receive('Your code', 'Your verification code is 482913.');
    const requests = await requestsOf(async (counted) => {
      expect(await counted.waitForCode()).to.equal('482913');
    });
    expect(requests).to.equal(1);
    expect(await inbox.waitForCode({ text: /verification/ })).to.equal('482913');
    expect((await inbox.wait({ hasCode: true })).text).to.include('482913');
    const url = 'https://shop.example/verify?t=Zk3x9QmP7LrT2vWc8YbN';
    await receive('Verify your address', `Verify your address: ${url}`);
    expect(await inbox.waitForLink('verify')).to.equal(url);
    expect(await inbox.waitForLink({ subject: 'Verify' })).to.equal(url);
    const none = await rejection(inbox.waitForLink('reset', { timeout: 0 }));
    expect(none).to.be.instanceOf(MayflyTimeout);
    expect((none as Error).message).to.include('fails: link "reset"');
    const other = await rejection(inbox.waitForCode({ subject: 'parcel', timeout: 0 }));
    expect((other as Error).message).to.include('"Your parcel" fails: code\n');
    expect((other as Error).message).to.include('"Verify your address" fails: subject, code');
  });

  it('takes the newest code and link by default, whatever is rejected before', async () => {
    const links = [0, 1, 2].map((n) => `https://shop.example/verify?t=Zk3x9QmP7LrT2vWc8Yb${n}`);
    for (const [n, link] of links.entries())
      await receive(`Your code ${n}`, `Your verification code is 10000${n}. Verify it: ${link}`);
    await receive('Your parcel', 'It is on its way.');
    const requests = await requestsOf(async (counted) => {
      expect(await counted.waitForCode()).to.equal('100002');
    });
    expect(requests).to.equal(1);
    expect(await inbox.waitForCode({ order: 'oldest' })).to.equal('100000');
    expect(await inbox.waitForCode({ subject: /code [01]/ })).to.equal('100001');
    expect(await inbox.waitForLink()).to.equal(links[2]);
    expect(await inbox.waitForLink('verify')).to.equal(links[2]);
    expect(await inbox.waitForLink({ order: 'oldest' })).to.equal(links[0]);
    expect((await inbox.wait()).subject).to.equal('Your code 0');
    expect((await inbox.wait({ order: 'newest' })).subject).to.equal('Your parcel');
  });

  it('waits on for a newer code when none of those that are there fits', async () => {
    await receive('Your code', 'Your verification code is 111111.');
    const waiting = inbox.waitForCode({ subject: /again/i });
    await receive('Your code', 'Your verification code is 222222.');
    await receive('Your code again', 'Your verification code is 333333.');
    expect(await waiting).to.equal('333333');
  });

  it('begins the text of a timeout with the number of messages for the address', async () => {
    await receive('Your code', 'Your verification code is 111111.');
    const mark = await inbox.mark();
    const lines = async (work: Promise<unknown>) =>
      ((await rejection(work)) as MayflyTimeout).message.split('\n');
    const byName = mayfly.inbox(inbox.name);
    const none = await lines(byName.waitForCode({ mark, timeout: 0 }));
    expect(none[0]).to.equal(`0 messages for ${inbox.address}`);
    expect(none[1]).to.match(/^No code within 0\.\d s\.$/);
    expect(none.slice(2)).to.deep.equal([
      '1 message came before the mark or time that was given.',
      NOWHERE,
    ]);
    const one = await lines(inbox.wait({ subject: 'Invoice', timeout: 0 }));
    expect(one[0]).to.equal(`1 message for ${inbox.address}`);
    expect(one.slice(2)[0]).to.equal('The nearest:');
    await inbox.claim();
    const claimed = await lines(inbox.claim({ timeout: 0 }));
    expect(claimed[0]).to.equal(`1 message for ${inbox.address}`);
    expect(claimed[1]).to.match(/^No free message within/);
  });

  describe('a wait without any message', () => {
    const MEANWHILE =
      'in other mailboxes, perhaps of other tests, meanwhile or in the minute before: ';
    let others: Mailbox[];
    beforeEach(async () => {
      // Only what came after the mailbox was created is told.
      await receive('Your code', 'Your verification code is 111111.');
      others = await Promise.all([1, 2, 3, 4].map(() => mayfly.mailboxes.create()));
      inbox = await mayfly.mailboxes.create();
    });
    const line = async (work: Promise<unknown>) =>
      ((await rejection(work)) as MayflyTimeout).message.split('\n')[2];
    const send = (to: Mailbox | undefined, subject: string, text = '') =>
      test.receive(to?.address ?? '', { from: 'noreply@shop.example', subject, text });

    it('names the mail that other mailboxes have received meanwhile', async () => {
      expect(await line(inbox.wait({ timeout: 0 }))).to.equal(NOWHERE);
      await send(others[0], 'Hi "you"');
      const one = `1 message arrived ${MEANWHILE}${others[0]?.address} (subject "Hi \\"you\\"")`;
      expect(await line(inbox.wait({ timeout: 0 }))).to.equal(one);
      expect(await line(inbox.wait({ timeout: 0, mark: await inbox.mark() }))).to.equal(one);
      expect(await line(inbox.wait({ timeout: 0, to: inbox.address }))).to.equal(one);
      expect(await line(inbox.waitForLink({ timeout: 0 }))).to.equal(one);
    });

    it('prefers what matches, and names three at most', async () => {
      const [right] = others;
      await send(right, 'Your code', 'Your verification code is 222222.');
      for (const other of others.slice(1)) await send(other, 'Welcome');
      const that = `1 message that matches arrived ${MEANWHILE}${right?.address} (subject "Your code")`;
      expect(await line(inbox.waitForCode({ timeout: 0 }))).to.equal(that);
      expect(await line(inbox.wait({ timeout: 0, subject: /CODE/i }))).to.equal(that);
      expect(await line(inbox.wait({ timeout: 0, text: /222222/ }))).to.equal(that);
      expect(await line(inbox.wait({ timeout: 0, from: '@shop.example' })))
        .to.match(/^4 messages that match arrived in other mailboxes/)
        .and.match(/: (\S+@one\.test \(subject "Welcome"\)(, | and )){3}1 more$/);
      for (const subject of ['Invoice', /invoice/])
        expect(await line(inbox.wait({ timeout: 0, subject })))
          .to.match(/^4 messages that do not match arrived in other mailboxes/)
          .and.match(/\) and 1 more$/);
    });

    it('names first what arrived when the wait began', async () => {
      const [first, ...later] = others;
      await send(first, 'Caused by the test');
      const waiting = line(inbox.wait({ timeout: 2 }));
      await first?.expectNone({ within: 1, subject: 'Welcome' });
      for (const other of later) await send(other, 'Welcome');
      expect(await waiting).to.match(
        /^4 messages arrived .*: \S+ \(subject "Caused by the test"\), /,
      );
    });

    it('names nothing beside near misses, and nothing that a narrow token cannot see', async () => {
      await send(others[0], 'Your code', 'Your verification code is 222222.');
      const { mailboxes } = createClient({ url, token: await test.token('reader', [inbox.name]) });
      const narrow = await mailboxes.get(inbox.name);
      expect(await line(narrow.waitForCode({ timeout: 0 }))).to.equal(NOWHERE);
      await send(inbox, 'Welcome');
      expect(await line(inbox.waitForCode({ timeout: 0 }))).to.equal('The nearest:');
    });
  });

  const noMarks: [string, unknown][] = [
    ['null', null],
    ['undefined', undefined],
    ['an empty string', ''],
    ['the error "No such mailbox."', new Error('No such mailbox.')],
    ['a Promise', Promise.resolve('MS4')],
  ];
  for (const [what, mark] of noMarks) {
    it(`refuses ${what} as a mark`, async () => {
      const options = { mark: mark as string };
      for (const work of [
        () => inbox.wait(options),
        () => inbox.waitForCode(options),
        () => inbox.waitForLink('verify', options),
        () => inbox.expectNone(options),
        () => inbox.claim(options),
        () => inbox.events(options).next(),
      ]) {
        const error = await rejection(work());
        expect(error).to.be.instanceOf(TypeError);
        expect((error as Error).message).to.include(`resolves to, not ${what}.`);
      }
    });
  }

  it('refuses an unknown criterion', async () => {
    const options = { subjct: 'Hi' } as object;
    for (const work of [
      () => inbox.wait(options),
      () => inbox.waitForCode(options),
      () => inbox.waitForLink(options),
      () => inbox.expectNone(options),
      () => inbox.claim(options),
      () => inbox.events(options).next(),
    ]) {
      const error = await rejection(work());
      expect(error).to.be.instanceOf(TypeError);
      expect((error as Error).message).to.equal("There is no criterion 'subjct'.");
    }
  });

  it('refuses times in milliseconds, and options of another call', async () => {
    const texts: [() => Promise<unknown>, string][] = [
      [() => inbox.wait({ timeout: 5000 }), 'timeout is in seconds, 0 to 3600, not 5000. Write 5'],
      [() => inbox.waitForCode({ timeout: 3601 }), 'timeout is in seconds, 0 to 3600, not 3601.'],
      [() => inbox.claim({ timeout: 5000 }), 'timeout is in seconds'],
      [() => inbox.expectNone({ within: 5000 }), 'within is in seconds'],
      [() => inbox.expectNone({ within: -1 }), 'within is in seconds, 0 to 3600, not -1.'],
      [() => inbox.expectNone({ timeout: 5 } as object), 'expectNone() has no timeout'],
      [
        () => mayfly.mailboxes.delete({ label: { run: 'r1' } } as never),
        '{ labels: { key: value } }',
      ],
      [() => mayfly.mailboxes.delete({ labels: {} }), '{ labels: { key: value } }'],
      [() => inbox.links('msg_1', 'blue' as never), "There is no kind of link 'blue'. Use verify,"],
      [() => inbox.read(undefined as never), 'not by undefined'],
      [() => inbox.raw({ id: 'msg_1' } as never), 'not by an object'],
      [() => inbox.part('', '1'), 'not by an empty string'],
      [() => inbox.store({ a: 1 } as never), 'store() takes a mail'],
      [() => inbox.store(''), 'store() takes a mail'],
      [() => inbox.wait({ from: null } as never), "'from' has no value. Leave it out"],
      [() => inbox.wait({ to: [] }), "'to' has no value."],
      [() => inbox.wait({ header: {} }), "'header' has no value."],
      [() => inbox.wait({ subject: 5 } as never), "'subject' takes text or a regular expression."],
      [() => inbox.wait({ to: Promise.resolve('a@b.test') } as never), "'to' has no value."],
      [() => inbox.expectNone({ subject: null } as never), "'subject' has no value."],
      [() => inbox.wait({ since: new Date('x') }), "'since' has no value."],
      [() => inbox.wait({ header: 'X-A: b' } as never), "'header' takes an object"],
      [() => inbox.wait({ timeout: '5' } as never), 'timeout is a number of seconds, not "5".'],
      [async () => mayfly.inbox(undefined as never).wait(), 'must be a text'],
      [() => inbox.wait({ from: /x/ } as never), "'from' takes text, not a regular expression."],
      [() => inbox.store('x', { too: 'a' } as never), "store() has no option 'too'."],
      [() => inbox.list({ lim: 1 } as never), "list() has no option 'lim'."],
      [() => mayfly.search('x', { q: 'x' } as never), "search() has no option 'q'."],
      [() => mayfly.mailboxes.list({ label: 'a:b' } as never), "has no option 'label'."],
    ];
    for (const [work, text] of texts) {
      const error = await rejection(work());
      expect(error).to.be.instanceOf(TypeError);
      expect((error as Error).message).to.include(text);
    }
    expect((await mayfly.mailboxes.get(inbox.name)).id).to.equal(inbox.id);
  });

  it('explains a timeout with the criteria and the nearest misses', async () => {
    const id = await receive('Welcome', 'Hello.');
    const error = await rejection(inbox.wait({ subject: /code/i, to: inbox.address, timeout: 0 }));
    expect(error).to.be.instanceOf(MayflyTimeout).and.to.include({ unmatched: 1 });
    const { message } = error as MayflyTimeout;
    expect(message).to.include(`\nNo message with subject /code/i, to "${inbox.address}" within `);
    expect(message).to.include(`  ${id} "Welcome" fails: subject`);
  });

  it('expects none: an error names the message that arrived', async () => {
    await receive('Welcome');
    await inbox.expectNone({ subject: 'Invoice', within: 0 });
    const error = await rejection(inbox.expectNone({ subject: /^wel/i, within: 25 }));
    expect(error).to.be.instanceOf(MayflyUnexpectedMessage);
    expect((error as MayflyUnexpectedMessage).received.subject).to.equal('Welcome');
  });

  it('claims a message once, extends the lease and releases it', async () => {
    await receive('Invite');
    const claim = await inbox.claim({ subject: 'invite', owner: 'worker-3', lease: 60 });
    expect(claim.message.subject).to.equal('Invite');
    expect(claim.owner).to.equal('worker-3');
    const taken = await rejection(inbox.claim({ timeout: 0 }));
    expect(taken).to.be.instanceOf(MayflyTimeout);
    const longer = await claim.extend(600);
    expect(Number(longer.expiresAt)).to.be.above(Number(claim.expiresAt));
    expect((await claim.extend(null)).expiresAt).to.equal(null);
    await claim.release();
    expect((await inbox.claim({ timeout: 0 })).message.id).to.equal(claim.message.id);
    expect(await rejection(inbox.claim({ subject: /x/ as never }))).to.be.instanceOf(TypeError);
  });

  it('sends, reads, lists and clears', async () => {
    const { messageId } = await inbox.send({ to: [inbox.address], subject: 'Note', text: 'One.' });
    const message = await inbox.read(messageId);
    expect(message.text).to.equal('One.');
    expect(Buffer.from(await inbox.raw(messageId)).toString()).to.include('Subject: Note');
    expect((await inbox.extracted(messageId)).code).to.equal(null);
    const answer = await inbox.reply(messageId, { kind: 'reply', text: 'Two.' });
    expect((await inbox.read(answer.messageId)).subject).to.equal('Re: Note');
    const listed = [];
    for await (const one of inbox.messages()) listed.push(one.id);
    expect(listed).to.deep.equal([answer.messageId, messageId]);
    expect(await inbox.clear()).to.equal(2);
  });

  it('stores a raw mail, and reads its headers, text, links and attachments', async () => {
    const raw = [
      'From: Shop <hello@shop.example>',
      'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      'Content-Type: text/html',
      '',
      '<p>Hello.</p><a href="https://shop.example/verify?t=Zk3x9QmP7LrT2vWc8YbN">Verify</a>',
      '<a href="https://shop.example/unsubscribe?u=1">Unsubscribe</a>',
      '--x',
      'Content-Type: text/csv; charset=iso-8859-1; name=a.csv',
      'Content-Disposition: attachment; filename=a.csv',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('Größe;1', 'latin1').toString('base64'),
      '--x',
      'Content-Type: image/png; name=b.png',
      'Content-Disposition: attachment; filename=b.png',
      '',
      'PNG',
      '--x--',
      '',
    ].join('\r\n');
    const envelope = { to: 'customer@gmail.com', from: 'bounces@shop.example' };
    const { messageId: id } = await inbox.store(raw, envelope);
    expect((await inbox.read(id)).envelope).to.deep.equal({
      from: 'bounces@shop.example',
      to: ['customer@gmail.com'],
    });
    expect(Buffer.from(await inbox.raw(id)).toString()).to.equal(raw);
    expect(await inbox.headers(id)).to.deep.include({ name: 'Subject', value: 'Grüße' });
    expect(await inbox.text(id)).to.match(/^Hello\.\s+Verify/);
    const kinds = (await inbox.links(id)).map(({ kind }) => kind);
    expect(kinds).to.have.members(['verify', 'unsubscribe']);
    const [link, ...others] = await inbox.links(id, 'unsubscribe');
    expect(link?.url).to.equal('https://shop.example/unsubscribe?u=1');
    expect(others).to.deep.equal([]);
    const [csv, png] = await inbox.attachments(id);
    expect(csv).to.include({ filename: 'a.csv', size: 7, text: 'Größe;1' });
    expect(csv?.contentType).to.match(/^text\/csv/);
    expect(png).to.include({
      ...{ filename: 'b.png', contentType: 'image/png', size: 3, text: null },
      ...{ disposition: 'attachment', isInline: false, charset: null, description: null },
      sha256: '796120837694d3f3f29259cfeb25091698c2a0aa87873658d840b4993ee889b3',
    });
    await inbox.store(Buffer.from('Subject: Second\n\nx'));
    const subjects = (await inbox.list()).map(({ subject }) => subject);
    expect(subjects).to.deep.equal(['Second', 'Grüße']);
    expect(await inbox.list({ limit: 1 })).to.have.length(1);
    const found = await mayfly.search(`mailbox:${inbox.name} filename:a.csv`);
    expect(found.map(({ mailbox, id: hit }) => [mailbox, hit])).to.deep.equal([[inbox.name, id]]);
    expect(await mayfly.search(`mailbox:${inbox.name}`, { limit: 1 })).to.have.length(1);
  });

  it('reads attachments in the character sets of the service', async () => {
    const part = (type: string, bytes: Buffer) =>
      `--x\r\nContent-Type: ${type}\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64')}\r\n`;
    const raw = [
      'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n',
      part('text/plain; charset=cp850', Buffer.from('81', 'hex')),
      part('text/plain; charset=utf-7', Buffer.from('+APw-')),
      part('text/csv', Buffer.from('1b2442467c4b5c1b2842', 'hex')), // ISO-2022-JP
      part('application/pdf', Buffer.from('%PDF-1.7')),
      '--x--\r\n',
    ];
    const { messageId: id } = await inbox.store(raw.join(''));
    const texts = (await inbox.attachments(id)).map(({ text }) => text);
    expect(texts).to.deep.equal(['ü', 'ü', '日本', null]);
  });

  it('reads the parts of a message, and the mail that it encloses', async () => {
    const { messageId: id } = await inbox.store(FORWARDED);
    const { root, fault } = await inbox.parts(id);
    expect(fault).to.equal(null);
    expect(root.parts.map(({ section }) => section)).to.deep.equal(['1', '2']);
    expect(root.parts[1]?.parts[0]).to.include({ section: '2.1', type: 'text/plain' });
    expect(await inbox.part(id, '2.1')).to.deep.equal(new TextEncoder().encode('Thanks.'));
    const inner: EnclosedMessage = await inbox.enclosed(id, '2');
    expect(inner).to.include({ from: 'ann@else.test', subject: 'Inner', text: 'Thanks.' });
    const missing = await rejection(inbox.part(id, '3'));
    expect(missing).to.include({ status: 404, code: 'not_found' });
  });

  it('follows the events of a mailbox until it is deleted', async () => {
    const types: string[] = [];
    const onReady = () => void receive('One').then(() => inbox.delete());
    for await (const { type } of inbox.events({ onReady })) types.push(type);
    expect(types).to.deep.equal(['message.received', 'mailbox.deleted']);
  });

  it('follows the events of the workspace until the signal aborts', async () => {
    const stop = new AbortController();
    const subjects: (string | undefined)[] = [];
    const onReady = () => void receive('Code');
    const events = mayfly.events({ subject: 'code', signal: stop.signal, onReady });
    for await (const event of events) {
      subjects.push(event.type);
      stop.abort();
    }
    expect(subjects).to.deep.equal(['message.received']);
  });

  it('ends the events with an error when the token is revoked', async () => {
    const made = await createToken(test.context, test.caller, { name: 'short', role: 'reader' });
    const client = createClient({ url, token: made.value });
    const onReady = () => void revokeToken(test.context, test.caller, made.row.id);
    const error = await rejection(client.events({ onReady }).next());
    expect(error).to.be.instanceOf(MayflyError).and.to.include({ status: 401 });
  });

  it('stops a wait by its signal', async () => {
    const stop = new AbortController();
    const waiting = rejection(inbox.wait({ signal: stop.signal }));
    stop.abort();
    expect(await waiting).to.include({ name: 'AbortError' });
  });

  it('reaches every operation by `api`', async () => {
    const path = { name: inbox.name };
    const { data } = await mayfly.api.POST('/api/mailboxes/{name}/smtp-credentials', {
      params: { path },
      body: { name: 'ci' },
    });
    expect(data?.username).to.be.a('string');
  });

  it('tells what an older service does not support from what does not exist', async () => {
    const olderFetch: typeof fetch = async (request) => {
      const { body, status, headers } = await fetch(request);
      const kept = [...headers].filter(([name]) => name !== 'mayfly-version');
      return new Response(body, { status, headers: kept });
    };
    const older = createClient({ url, token, fetch: olderFetch });
    const params = { query: { newer: '1' } };
    const requests: [string, () => Promise<unknown>][] = [
      ['unsupported', () => older.api.GET('/api/newer' as never, {} as never)],
      ['unsupported', () => older.api.GET('/api/mailboxes', { params } as never)],
      ['unsupported', () => older.api.POST('/api/session/newer' as never, {} as never)],
      ['not_found', () => older.mailboxes.get('nobody')],
      ['not_found', () => mayfly.api.GET('/api/newer' as never, {} as never)],
    ];
    for (const [code, request] of requests) {
      expect(await rejection(request()))
        .to.be.instanceOf(MayflyError)
        .and.to.include({ code });
    }
  });

  it('needs a token', () => {
    expect(() => createClient({ url, token: '' })).to.throw(TypeError, 'MAYFLY_TOKEN');
  });
});
