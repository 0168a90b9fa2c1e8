/** Waits over all mailboxes of a workspace. */
import { expect } from 'chai';
import { extendClaim } from '../../../db/statements/claims.ts';
import { createToken, revokeToken } from '../../../core/auth/tokens.ts';
import { createMailboxes } from '../../../core/mailboxes/create.ts';
import { deleteMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { ingestJob } from '../../../core/intake/ingest-job.ts';
import { acceptMail } from '../../support/context/accept.ts';
import { ingestNow } from '../../support/context/ingest.ts';
import { storeDirectly } from '../../support/context/store-directly.ts';
import {
  WELL_BEFORE_MS,
  type WaitAnswer,
  type WaitClient,
  openWaitClient,
} from '../../support/context/waits.ts';
import { service } from '../../support/service.ts';

const WAIT = '/api/messages/wait';
const MARK = '/api/messages/mark';
const HOUR_MS = 3_600_000;

describe('GET /api/messages/wait', () => {
  const test = service({ env: { RATE_LIMIT_PRO: '0' }, mailboxes: ['red', 'blue'] });
  const { api, receive } = test;
  let waits: WaitClient;

  beforeEach(async () => {
    waits = await openWaitClient(test);
  });

  const subject = (text: string) => ({ subject: text });
  const found = ({ body }: Pick<WaitAnswer, 'body'>) =>
    body.messages.map(({ mailbox, ...message }) => `${mailbox}: ${message.subject}`);
  const markOf = async (token?: string) => {
    const { body } = await api.get(MARK, token).expect(200);
    return (body as { mark: string }).mark;
  };

  it('200: a message of any mailbox at once, with the name of its mailbox', async () => {
    const id = await receive('blue', subject('Your code'));
    await receive('red', subject('Other'));
    const answer = await waits.wait(`${WAIT}?subject=code`);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.include({ outcome: 'matched', settled: true });
    const { body } = await api.get(`/api/mailboxes/blue/messages/${id}`).expect(200);
    expect(answer.body.messages).to.deep.equal([{ mailbox: 'blue', ...(body as object) }]);
    expect(answer.body.unmatched.nearest[0]).to.include({ subject: 'Other', mailbox: 'red' });
  });

  it('200: with extracted codes, as a summary, of several mailboxes in either order', async () => {
    await receive('red', { subject: '1', text: 'Your code is 482913.' });
    await receive('blue', subject('2'));
    const { body } = await waits.wait(`${WAIT}?hasCode=true&extract=true&view=summary`);
    expect(found({ body })).to.deep.equal(['red: 1']);
    expect(body.messages[0]).to.have.nested.property('extracted.code', '482913');
    expect(body.messages[0]).not.to.have.property('text');
    const newest = await waits.wait(`${WAIT}?count=2&order=newest`);
    expect(found(newest)).to.deep.equal(['blue: 2', 'red: 1']);
  });

  it('200: when a message arrives, also in a mailbox that is created during the wait', async () => {
    const first = await waits.sleeping(`${WAIT}?subject=code&timeout=30`);
    await receive('red', subject('Other'));
    await createMailboxes(test.context, test.caller, [{ name: 'new' }]);
    await receive('new', subject('Your code'));
    const answer = await first.answer;
    expect(found(answer)).to.deep.equal(['new: Your code']);
    expect(answer.tookMs).to.be.below(WELL_BEFORE_MS);
  });

  it('200: a message whose event is lost, and one that is stored late', async () => {
    const red = await idOf('red');
    const mark = await markOf();
    const { answer } = await waits.sleeping(`${WAIT}?subject=code&timeout=30&mark=${mark}`);
    await storeDirectly(test.context, red, test.context.now() - HOUR_MS, '', 'Your code');
    expect(found(await answer)).to.deep.equal(['red: Your code']);
  });

  it('200: only messages after the mark, and a timeout that proves that none came', async () => {
    await receive('red', subject('before'));
    const mark = await markOf();
    const none = await waits.wait(`${WAIT}?mark=${mark}&timeout=0`);
    expect(none.body).to.deep.include({ outcome: 'timeout', settled: true, messages: [] });
    await receive('blue', subject('after'));
    await receive('red', subject('last'));
    const one = await waits.wait(`${WAIT}?mark=${mark}`);
    expect(found(one)).to.deep.equal(['blue: after']);
    const next = await waits.wait(`${WAIT}?mark=${one.body.mark}`);
    expect(found(next)).to.deep.equal(['red: last']);
  });

  it('200: no message of a mailbox that is deleted, or of another workspace', async () => {
    await receive('red', subject('gone'));
    await deleteMailbox(test.context, test.caller, 'red');
    const stranger = await test.stranger();
    await api.post('/api/mailboxes', stranger).send({ name: 'red' }).expect(201);
    await receive('red@other1.test', subject('foreign'));
    expect(found(await waits.wait(`${WAIT}?timeout=0`))).to.deep.equal([]);
    const theirs = await waits.wait(`${WAIT}?timeout=0`, { token: stranger });
    expect(found(theirs)).to.deep.equal(['red: foreign']);
  });

  it('200: the part of a narrow token, by name and by label', async () => {
    const { context, caller } = test;
    await createMailboxes(context, caller, [{ name: 'run', labels: { run: '1' } }]);
    const token = await test.token('reader', ['red', 'run:1']);
    const mark = await markOf(token);
    for (const name of ['blue', 'red', 'run']) await receive(name, subject(name));
    for (const query of ['', `&mark=${mark}`]) {
      const answer = await waits.wait(`${WAIT}?count=3&timeout=0${query}`, { token });
      expect(found(answer), query).to.deep.equal(['red: red', 'run: run']);
      expect(answer.body.unmatched).to.deep.equal({ count: 0, nearest: [] });
    }
    const after = await markOf(token);
    const sleeping = await waits.sleeping(`${WAIT}?timeout=30&mark=${after}`, { token });
    await receive('blue', subject('outside'));
    await createMailboxes(context, caller, [{ name: 'later', labels: { run: '1' } }]);
    await receive('later', subject('inside'));
    expect(found(await sleeping.answer)).to.deep.equal(['later: inside']);
  });

  it('200: not settled while accepted mail for a mailbox of the token is on its way', async () => {
    const token = await test.token('reader', ['red']);
    const mail = await acceptMail(test.context, ['blue@one.test'], 'Subject: s\r\n\r\n');
    await test.context.queues.enqueue(ingestJob, mail, mail.ingestId);
    const { body } = await waits.wait(`${WAIT}?timeout=0`);
    expect(body).to.include({ outcome: 'timeout', settled: false });
    expect((await waits.wait(`${WAIT}?timeout=0`, { token })).body.settled).to.equal(true);
  });

  it('200: settled once the mail that was accepted before the timeout is stored', async () => {
    const first = await acceptMail(test.context, ['blue@one.test'], 'Subject: 1\r\n\r\n');
    await test.context.queues.enqueue(ingestJob, first, first.ingestId);
    const answer = waits.wait(`${WAIT}?timeout=0&subject=none`);
    // Mail that is accepted later does not count.
    const later = await acceptMail(test.context, ['blue@one.test'], 'Subject: 2\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await test.context.queues.enqueue(ingestJob, later, later.ingestId);
    await ingestNow(test.context, first);
    expect((await answer).body.settled).to.equal(true);
  });

  it('200: considers the newest 1,000 messages, and with a mark or a time more', async () => {
    const at = test.context.now() - 20_000;
    const mark = await markOf();
    const [red, blue] = [await idOf('red'), await idOf('blue')];
    await storeDirectly(test.context, red, at, '', 'first');
    for (let n = 0; n < 1000; n += 1) await storeDirectly(test.context, blue, at + 1 + n);
    const query = `${WAIT}?subject=first&timeout=0`;
    expect((await waits.wait(query)).body.outcome).to.equal('timeout');
    const since = new Date(at - 1).toISOString();
    for (const range of [`mark=${mark}`, `since=${since}`]) {
      expect(found(await waits.wait(`${query}&${range}`))).to.deep.equal(['red: first']);
    }
    const narrow = await waits.wait(query, { token: await test.token('reader', ['red']) });
    expect(found(narrow)).to.deep.equal(['red: first']);
  }).timeout(120_000);

  it('200: with claimed, when the only message is claimed or released, or its lease ends', async () => {
    await receive('red', subject('s'));
    const taken = await waits.sleeping(`${WAIT}?claimed=true&timeout=30`);
    const claim = '/api/mailboxes/red/messages/claim';
    const { body } = await api.post(claim).send({ timeout: 0 }).expect(200);
    expect(found(await taken.answer)).to.deep.equal(['red: s']);
    const free = await waits.sleeping(`${WAIT}?claimed=false&timeout=30`);
    const [{ id, messageId }] = (body as { claims: [{ id: string; messageId: string }] }).claims;
    await api.delete(`/api/mailboxes/red/messages/${messageId}/claim?claimId=${id}`).expect(204);
    const released = await free.answer;
    expect(found(released)).to.deep.equal(['red: s']);
    expect(released.tookMs).to.be.below(WELL_BEFORE_MS);
    const leased = await api.post(claim).send({ timeout: 0, expiresIn: 600 }).expect(200);
    const again = await waits.sleeping(`${WAIT}?claimed=false&timeout=30`);
    const { store } = test.context;
    await store.query(extendClaim, (leased.body as { claims: [{ id: string }] }).claims[0].id, 0);
    const ended = await again.answer;
    expect(found(ended)).to.deep.equal(['red: s']);
    expect(ended.tookMs).to.be.below(WELL_BEFORE_MS);
  });

  it('400: the mark of a mailbox here, and the mark of the workspace there', async () => {
    const ofMailbox = await test.mark('red');
    const ofWorkspace = await markOf();
    const here = await api.get(`${WAIT}?timeout=0&mark=${ofMailbox}`).expect(400);
    expect(here.body.error).to.equal(
      '"mark" is a mark of a mailbox or of another workspace. Take a new one: GET /api/messages/mark.',
    );
    const there = await api
      .get(`/api/mailboxes/red/messages/wait?timeout=0&mark=${ofWorkspace}`)
      .expect(400);
    expect(there.body.error).to.equal(
      '"mark" is a mark of the workspace, not of a mailbox. Take a new one: GET /api/mailboxes/{name}/mark.',
    );
    const stranger = await test.stranger();
    await api.get(`${WAIT}?timeout=0&mark=${ofWorkspace}`, stranger).expect(400);
  });

  it('401: at once when the token is revoked, also if the event is lost', async () => {
    const wanted = { name: 'r', role: 'reader' } as const;
    const first = await createToken(test.context, test.caller, wanted);
    const second = await createToken(test.context, test.caller, wanted);
    const told = await waits.sleeping(`${WAIT}?timeout=30`, { token: first.value });
    await revokeToken(test.context, test.caller, first.row.id);
    const { status, tookMs } = await told.answer;
    expect(status).to.equal(401);
    expect(tookMs).to.be.below(WELL_BEFORE_MS);
    const untold = await waits.sleeping(`${WAIT}?timeout=30`, { token: second.value });
    await test.redis.kill();
    await revokeToken(test.context, test.caller, second.row.id);
    expect((await untold.answer).status).to.equal(401);
  });

  it('429 and HEAD: counts toward the limit of the workspace, and HEAD answers at once', async () => {
    await test.reopen({ WAITS_PER_WORKSPACE: '1' });
    waits = await openWaitClient(test);
    const client = new AbortController();
    await waits.sleeping(`${WAIT}?timeout=30`, { signal: client.signal });
    const refused = await waits.wait(`${WAIT}?timeout=0`);
    expect([refused.status, refused.body.code]).to.deep.equal([429, 'wait_limit']);
    await api.head(`${WAIT}?timeout=30`).expect(200);
    client.abort();
  });

  const idOf = async (name: string) => {
    const { body } = await api.get(`/api/mailboxes/${name}`).expect(200);
    return (body as { id: string }).id;
  };
});
