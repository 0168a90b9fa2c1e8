import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createToken, revokeToken } from '../../../core/auth/tokens.ts';
import { createMailbox, deleteMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { WINDOW_SECONDS } from '../../../core/limits/rate-limit.ts';
import { ingestJob } from '../../../core/intake/ingest-job.ts';
import { markMailboxesDeletedById } from '../../../db/statements/mailboxes.ts';
import type { Store } from '../../../db/store.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { openTestApi } from '../../support/context/api.ts';
import { catchMail } from '../../support/context/catch.ts';
import { deliverMail } from '../../support/context/deliver.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import {
  WELL_BEFORE_MS,
  type WaitAnswer,
  type WaitClient,
  openWaitClient,
} from '../../support/context/waits.ts';
import { service } from '../../support/service.ts';

const BOX = '/api/mailboxes/box';

describe('GET .../messages/wait', () => {
  const test = service({ env: { RATE_LIMIT_PRO: '0' } });
  const { api, mark, reopen } = test;
  let waits: WaitClient;
  let boxId: string;

  const begin = async () => {
    waits = await openWaitClient(test);
    boxId = (await test.mailbox()).id;
  };
  beforeEach(begin);

  const receive = (
    subject: string,
    { to = 'box@one.test', at = test.context.now(), body = '' } = {},
  ) =>
    test.deliver(
      to,
      `From: Shop <noreply@shop.example>\r\nTo: x@one.test\r\nSubject: ${subject}\r\n${body || '\r\n'}`,
      at,
    );
  const subjects = (answer: { body: { messages: { subject: string }[] } }) =>
    answer.body.messages.map(({ subject }) => subject);

  describe('200 matched', () => {
    it('at once, with a message that is there', async () => {
      await receive('Your code');
      const answer = await waits.wait('?subject=code');
      expect(answer.status).to.equal(200);
      expect(answer.body).to.include({ outcome: 'matched', settled: true });
      expect(answer.body.unmatched).to.deep.equal({ count: 0, nearest: [] });
      const { body } = await api.get(`${BOX}/messages/${answer.body.messages[0]!.id}`).expect(200);
      expect(answer.body.messages).to.deep.equal([body]);
    });

    it('when the message arrives, also from another process', async () => {
      const { answer } = await waits.sleeping('?subject=code&timeout=20');
      await receive('Welcome');
      await deliverMail(await test.another(), ['box@one.test'], 'Subject: Your code\r\n\r\n');
      const { body, tookMs } = await answer;
      expect(body.messages.map(({ subject }) => subject)).to.deep.equal(['Your code']);
      expect(tookMs).to.be.below(WELL_BEFORE_MS);
      expect(body.unmatched.count).to.equal(1);
      expect(body.unmatched.nearest[0]).to.include({ subject: 'Welcome' });
    });

    it('by each criterion', async () => {
      const html =
        'Content-Type: text/html\r\nX-Test-Run: 4\r\n 2\r\n\r\n<p hidden>secret</p><td>Tap</td><td>here</td>';
      await receive('Other');
      await receive('Your code', { to: 'box+a@one.test', body: html });
      await catchMail(test.context, boxId, { caught: ['Customer@gmail.com'] });
      const found = async (query: string) => subjects(await waits.wait(`?timeout=0&${query}`));
      expect(await found('from=@shop.example&from=nobody@x.test&count=2')).to.have.length(2);
      expect(await found('to=customer@GMAIL.com')).to.deep.equal(['caught']);
      expect(await found('to=box+a@one.test')).to.deep.equal(['Your code']);
      expect(await found('tag=a')).to.deep.equal(['Your code']);
      expect(await found('text=tap%20here')).to.deep.equal(['Your code']);
      expect(await found('text=secret')).to.deep.equal([]);
      expect(await found('header=x-test-run:%204%202')).to.deep.equal(['Your code']);
      expect(await found('hasAttachment=true')).to.deep.equal([]);
    });

    const CODE = '\r\nYour code is 482913\r\nhttps://shop.example/verify?t=Zk3x9QmP7LrT2vWc8YbN';

    it('by code and kind of link, also for a message that arrives', async () => {
      await receive('Other', { body: '\r\nOrder number: 771204' });
      const { answer } = await waits.sleeping('?hasCode=true&timeout=20');
      await receive('Code', { body: CODE });
      const { body } = await answer;
      expect(subjects({ body })).to.deep.equal(['Code']);
      expect(body.unmatched.nearest[0]).to.include({ subject: 'Other' });
      expect(body.unmatched.nearest[0]!.failed).to.deep.equal(['hasCode']);
      expect(body.messages[0]).not.to.have.property('extracted');
      const found = async (query: string) => subjects(await waits.wait(`?timeout=0&${query}`));
      expect(await found('hasCode=false')).to.deep.equal(['Other']);
      expect(await found('link=verify&hasCode=true&text=code')).to.deep.equal(['Code']);
      expect(await found('link=reset')).to.deep.equal([]);
    });

    it('with extracted codes and links, in both views', async () => {
      await receive('Other', { at: test.context.now() - 1 });
      const { messages } = await receive('Code', { body: CODE });
      for (const view of ['full', 'summary']) {
        const { body } = await waits.wait(`?count=2&extract=true&view=${view}`);
        const extracted = await api.get(`${BOX}/messages/${messages[0]!.id}/extracted`).expect(200);
        expect(extracted.body).to.include({ code: '482913' });
        expect(body.messages.map((message) => message.extracted?.code)).to.deep.equal([
          null,
          '482913',
        ]);
        expect(body.messages[1]!.extracted).to.deep.equal(extracted.body);
      }
      const whole = await api.get(`${BOX}/messages/${messages[0]!.id}`).expect(200);
      expect(whole.body).not.to.have.property('extracted');
    });

    it('with several messages, oldest or newest first', async () => {
      for (const n of [1, 2, 3]) await receive(String(n), { at: test.context.now() + n });
      expect(subjects(await waits.wait('?count=2'))).to.deep.equal(['1', '2']);
      expect(subjects(await waits.wait('?count=2&order=newest'))).to.deep.equal(['3', '2']);
    });

    it('with summaries', async () => {
      await receive('s', { body: '\r\ntext' });
      const { messages } = (await waits.wait('?view=summary')).body;
      expect(messages[0]).not.to.have.any.keys('text', 'html');
    });

    it('only when as many messages exist at the same time', async () => {
      const { messages } = await receive('deleted');
      const { answer } = await waits.sleeping('?count=2&timeout=20');
      await api.delete(`${BOX}/messages/${messages[0]!.id}`).expect(204);
      await receive('a');
      await receive('b');
      expect(subjects(await answer)).to.deep.equal(['a', 'b']);
    });

    it('considers the newest 1,000 messages, and with a mark or a time all', async () => {
      const at = test.context.now() - 20_000;
      const before = await mark();
      await receive('first', { at });
      for (let n = 0; n < 1000; n += 1) await storeDirectly(test.context, boxId, at + 1 + n);
      expect((await waits.wait('?subject=first&timeout=0')).body.outcome).to.equal('timeout');
      const since = new Date(at - 1).toISOString();
      for (const query of [`mark=${before}`, `since=${since}`]) {
        expect(subjects(await waits.wait(`?subject=first&${query}`))).to.deep.equal(['first']);
      }
    }).timeout(60_000);
  });

  describe('the mark', () => {
    it('selects what was not visible, including mail that is stored late', async () => {
      const at = test.context.now();
      await receive('before', { at });
      const before = await mark();
      expect((await waits.wait(`?mark=${before}&timeout=0`)).body.messages).to.deep.equal([]);
      await receive('late', { at: at - 600_000 });
      const late = await waits.wait(`?mark=${before}`);
      expect(subjects(late)).to.deep.equal(['late']);
      expect((await waits.wait(`?mark=${late.body.mark}&timeout=0`)).body.messages).to.be.empty;
    });

    it('of a response in the order oldest skips no message, and of newest covers all', async () => {
      const at = test.context.now();
      for (const n of [1, 2, 3, 4]) await receive(String(n), { at: at + n });
      const seen: string[] = [];
      let after = '';
      for (let n = 0; n < 4; n += 1) {
        const answer = await waits.wait(`?timeout=0${after && `&mark=${after}`}`);
        seen.push(...subjects(answer));
        after = answer.body.mark;
      }
      expect(seen).to.deep.equal(['1', '2', '3', '4']);
      const newest = await waits.wait('?order=newest&timeout=0');
      const rest = await waits.wait(`?mark=${newest.body.mark}&timeout=0`);
      expect(rest.body.messages).to.be.empty;
    });
  });

  describe('200 timeout', () => {
    it('names the messages that came nearest', async () => {
      for (const subject of ['a', 'b', 'c', 'd', 'e', 'f']) await receive(subject);
      await receive('Welcome', { to: 'box+t@one.test' });
      const { body } = await waits.wait('?subject=code&tag=t&timeout=0');
      expect(body).to.include({ outcome: 'timeout', settled: true });
      expect(body.unmatched.count).to.equal(7);
      expect(body.unmatched.nearest.map(({ subject }) => subject)).to.deep.equal([
        'Welcome',
        'f',
        'e',
        'd',
        'c',
      ]);
      expect(body.unmatched.nearest[0]!.failed).to.deep.equal(['subject']);
      expect(body.unmatched.nearest[1]!.failed).to.deep.equal(['tag', 'subject']);
    });

    it('after the time, with what matched until then', async () => {
      await receive('one');
      const { body, tookMs } = await waits.wait('?count=2&timeout=1');
      expect(body.outcome).to.equal('timeout');
      expect(body.messages).to.have.length(1);
      expect(body.waitedMs).to.be.within(990, tookMs);
    });

    it('is not settled, and is held back, while accepted mail is on its way', async () => {
      const mail = await acceptMail(test.context, ['box@one.test'], 'Subject: s\r\n\r\n');
      await test.context.queues.enqueue(ingestJob, mail, mail.ingestId);
      const { body } = await waits.wait('?timeout=0');
      expect(body).to.include({ outcome: 'timeout', settled: false });
      expect(body.waitedMs).to.be.at.least(900);
      await createMailbox(test.context, test.caller, 'other');
      const other = await waits.wait('/api/mailboxes/other/messages/wait?timeout=0');
      expect(other.body.settled).to.equal(true);
    });
  });

  describe('while Redis is away', () => {
    it('finds messages whose events are lost', async () => {
      const { answer } = await waits.sleeping('?subject=code&timeout=30');
      const late = waits.wait('?timeout=30&subject=code');
      await test.redis.kill();
      const began = performance.now();
      await storeSilently('Welcome');
      await storeSilently('Your code');
      for (const each of await Promise.all([answer, late])) {
        expect(each.body).to.include({ outcome: 'matched', settled: false });
      }
      expect(performance.now() - began).to.be.below(6000);
    });
  });

  it('finds a message without an event', async () => {
    const { answer } = await waits.sleeping('?timeout=20&subject=code');
    await storeSilently('Your code');
    expect((await answer).body.waitedMs).to.be.below(8000);
  });

  it('reads messages once for all, and again only one whose claim changes', async () => {
    const MESSAGES = 120;
    const WAITS = 40;
    for (let n = 0; n < MESSAGES; n += 1)
      await storeDirectly(test.context, boxId, test.context.now() + n);
    const rowsRead: number[] = [];
    const execute: Store['execute'] = async (statement, parameters) => {
      const rows = await test.context.store.execute(statement, parameters);
      const isReading = /^(messages-by-number|numbered-page|message-numbers)/.test(statement.name);
      if (isReading && Array.isArray(rows)) rowsRead.push(rows.length);
      return rows;
    };
    const store = { ...test.context.store, execute };
    const counted = openTestApi({ ...test, context: { ...test.context, store } });
    const woken = counted
      .get(`${BOX}/messages/wait?claimed=true&timeout=30`)
      .then((answer) => answer);
    const timedOut = await Promise.all(
      Array.from({ length: WAITS }, () =>
        counted.get(`${BOX}/messages/wait?claimed=false&subject=zzz&timeout=3`),
      ),
    );
    for (const { body } of timedOut) {
      expect(body).to.include({ outcome: 'timeout', settled: true });
      expect(body.unmatched.count).to.equal(MESSAGES);
    }
    const read = rowsRead.reduce((sum, rows) => sum + rows, 0);
    expect(read, 'rows for all waits').to.be.within(MESSAGES, 5 * MESSAGES);
    expect(rowsRead, 'statements for all waits').to.have.length.below(WAITS);
    const { body } = await api.post(`${BOX}/messages/claim`).send({ timeout: 0 }).expect(200);
    const answer = await woken;
    expect(answer.body.messages).to.have.length(1);
    expect(answer.body.messages[0].id).to.equal(body.claims[0].messageId);
    expect(answer.body.waitedMs).to.be.below(WELL_BEFORE_MS);
  });

  it('is not settled while messages are not looked at, and skips none of them', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 8; n += 1) {
      const text = `${n === 7 ? 'last' : 'other'} needle ${'x'.repeat(1024 * 1024)}`;
      ids.push(await storeDirectly(test.context, boxId, test.context.now(), text));
    }
    const execute: Store['execute'] = async (statement, parameters) => {
      if (statement.name.startsWith('messages-by-id')) await delay(500);
      return test.context.store.execute(statement, parameters);
    };
    const slow = openTestApi({
      ...test,
      context: { ...test.context, store: { ...test.context.store, execute } },
    });
    const readOn = async (text: string) => {
      const answers: WaitAnswer['body'][] = [];
      let query = '';
      do {
        const path = `${BOX}/messages/wait?text=${text}&timeout=0&view=summary&${query}`;
        const { body } = await slow.get(path).expect(200);
        answers.push(body as WaitAnswer['body']);
        query = `mark=${answers.at(-1)!.mark}`;
      } while (!answers.at(-1)!.settled || answers.at(-1)!.messages.length > 0);
      return answers;
    };
    for (const [text, found] of [
      ['needle', ids],
      ['last', ids.slice(7)],
    ] as const) {
      const answers = await readOn(text);
      expect(answers[0]!.settled).to.equal(false);
      expect(answers.flatMap(({ messages }) => messages.map(({ id }) => id))).to.deep.equal(found);
    }
  }).timeout(120_000);

  it('400: the mark of another mailbox', async () => {
    await test.mailbox('other');
    const { status, body } = await waits.wait(`?mark=${await mark('other')}`);
    expect([status, body.code]).to.deep.equal([400, 'invalid_request']);
  });

  it('401: at once when the token is revoked', async () => {
    const reader = await createToken(test.context, test.caller, { name: 'r', role: 'reader' });
    const { answer } = await waits.sleeping('?timeout=30', { token: reader.value });
    await revokeToken(test.context, test.caller, reader.row.id);
    const { status, body, tookMs } = await answer;
    expect([status, body.code]).to.deep.equal([401, 'unauthorized']);
    expect(tookMs).to.be.below(WELL_BEFORE_MS);
  });

  it('404: at once when the mailbox is deleted', async () => {
    const { answer } = await waits.sleeping('?timeout=30');
    await deleteMailbox(test.context, test.caller, 'box');
    const { status, body, tookMs } = await answer;
    expect([status, body.code]).to.deep.equal([404, 'not_found']);
    expect(tookMs).to.be.below(WELL_BEFORE_MS);
    await api.get(`${BOX}/messages/wait?timeout=0`).expect(404);
  });

  it('404 and 401 when the event is lost', async () => {
    const reader = await createToken(test.context, test.caller, { name: 'r', role: 'reader' });
    await createMailbox(test.context, test.caller, 'other');
    const first = await waits.sleeping('?timeout=30');
    const path = '/api/mailboxes/other/messages/wait?timeout=30';
    const second = await waits.sleeping(path, { token: reader.value });
    await test.redis.kill();
    await test.context.store.query(markMailboxesDeletedById, [boxId], new Date(test.context.now()));
    await revokeToken(test.context, test.caller, reader.row.id);
    expect((await first.answer).status).to.equal(404);
    expect((await second.answer).status).to.equal(401);
  });

  it('503: when the process stops', async () => {
    const { answer } = await waits.sleeping('?timeout=30');
    test.context.events.hub.close();
    const { status, headers, body } = await answer;
    expect([status, body.code]).to.deep.equal([503, 'unavailable']);
    expect(headers.get('retry-after')).to.equal('1');
    expect((await waits.wait('?timeout=30')).status, 'begun after the stop').to.equal(503);
  });

  it('ends when the client goes, and answers HEAD at once', async () => {
    await reopen({ WAITS_PER_WORKSPACE: '1' });
    await begin();
    const client = new AbortController();
    await waits.sleeping('?timeout=30', { signal: client.signal });
    const refused = await waits.wait('?timeout=0');
    expect([refused.status, refused.body.code]).to.deep.equal([429, 'wait_limit']);
    expect(refused.headers.get('retry-after')).to.equal('1');
    const head = await fetch(`${waits.server.url}${BOX}/messages/wait`, {
      method: 'HEAD',
      headers: { Authorization: `Bearer ${test.workspace.token}` },
    });
    expect(head.status).to.equal(200);
    client.abort();
    for (;;) {
      const { status } = await waits.wait('?timeout=0');
      if (status === 200) break;
    }
  });

  it('counts as one request against the rate limit', async () => {
    await reopen({ RATE_LIMIT_PRO: '100' });
    await begin();
    const windowMs = WINDOW_SECONDS * 1000;
    test.advance(windowMs - (test.context.now() % windowMs)); // the window does not end meanwhile
    const before = await api.get(`${BOX}/mark`).expect(200);
    const { headers } = await waits.wait('?timeout=2');
    const left = (text = '') => Number(/r=(\d+)/.exec(text)?.[1]);
    expect(left(before.headers.ratelimit)).to.equal(99);
    expect(left(headers.get('ratelimit') ?? '')).to.equal(98);
  });

  /** Stores a message without an event. */
  async function storeSilently(subject: string): Promise<void> {
    await storeDirectly(test.context, boxId, test.context.now(), '', subject);
  }
});
