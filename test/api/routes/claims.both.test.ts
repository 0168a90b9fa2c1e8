import { expect } from 'chai';
import type { Context } from '../../../core/context.ts';
import { createToken, revokeToken } from '../../../core/auth/tokens.ts';
import { deleteMailbox } from '../../../core/mailboxes/mailboxes.ts';
import { extendClaim } from '../../../db/statements/claims.ts';
import { type EventServer, openEventServer } from '../../support/clients/event-stream.ts';
import { createApp } from '../../../api/app.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { WELL_BEFORE_MS, openWaits, whenWaiting } from '../../support/context/waits.ts';
import { service } from '../../support/service.ts';

const BOX = '/api/mailboxes/box';

interface Answer {
  status: number;
  headers: Headers;
  tookMs: number;
  body: {
    outcome: 'matched' | 'timeout';
    claims: { id: string; messageId: string; owner: string | null; expiresAt: string | null }[];
    messages: { id: string; subject: string }[];
    mark: string;
    code?: string;
  };
}

describe('claims over HTTP', () => {
  const test = service({ env: { RATE_LIMIT_PRO: '0' }, mailboxes: ['box'] });
  const { api } = test;
  let other: Context;
  let servers: EventServer[];

  beforeEach(async () => {
    other = await test.another();
    servers = [await test.listen(), await openEventServer(createApp(other))];
  });
  afterEach(async () => {
    await servers[1]?.close();
  });

  const claim = async (
    body: object = {},
    {
      on = 0,
      key,
      token = test.workspace.token,
      signal,
    }: { on?: number; key?: string; token?: string; signal?: AbortSignal } = {},
  ): Promise<Answer> => {
    const began = performance.now();
    const answer = await fetch(`${servers[on]!.url}${BOX}/messages/claim`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
    const text = (await answer.json()) as Answer['body'];
    const { status, headers } = answer;
    return { status, headers, tookMs: performance.now() - began, body: text };
  };
  /** A claim that has found nothing and sleeps. */
  const sleeping = (...[body, options = {}]: Parameters<typeof claim>) => {
    const { on = 0 } = options;
    return whenWaiting([test.context, other][on]!, servers[on]!, () => {
      const answer = claim(body, options);
      answer.catch(() => undefined);
      return { answer };
    });
  };
  const receive = async (...subjects: string[]) => {
    const ids: string[] = [];
    for (const [n, subject] of subjects.entries()) {
      ids.push(await test.receive('box', { subject }, test.context.now() + n));
    }
    return ids;
  };
  const subjects = ({ body }: Answer) => body.messages.map(({ subject }) => subject);
  const AT_ONCE = { timeout: 0 };

  describe('POST .../messages/claim', () => {
    it('200: the oldest free message that fits, over two processes', async () => {
      const [first] = await receive('1', '2', '3', 'other');
      const one = await claim({ ...AT_ONCE, owner: 'w1' });
      expect(one.status).to.equal(200);
      expect(one.body).to.include({ outcome: 'matched' });
      expect(one.body.claims[0]).to.include({ messageId: first, owner: 'w1', expiresAt: null });
      expect(subjects(one)).to.deep.equal(['1']);
      expect(
        subjects(await claim({ ...AT_ONCE, match: { subject: 'other' } }, { on: 1 })),
      ).to.deep.equal(['other']);
      expect(subjects(await claim({ ...AT_ONCE, limit: 10 }, { on: 1 }))).to.deep.equal(['2', '3']);
      expect((await claim(AT_ONCE)).body).to.deep.include({
        outcome: 'timeout',
        claims: [],
        messages: [],
      });
      await api.get(`${BOX}/messages/${first!}`).expect(200);
    });

    it('200: a released message before newer ones, in each process', async () => {
      const [oldest = ''] = await receive('1', '2', '3');
      for (const on of [0, 1, 0]) {
        const [made] = (await claim(AT_ONCE, { on })).body.claims;
        expect(made?.messageId).to.equal(oldest);
        await api.delete(`${BOX}/messages/${oldest}/claim?claimId=${made!.id}`).expect(204);
      }
    });

    it('200: none twice under many claims at once', async () => {
      const ids = await receive(...Array.from({ length: 40 }, (_, n) => String(n)));
      const answers = await Promise.all(ids.map((_, n) => claim({ timeout: 25 }, { on: n % 2 })));
      const claimed = answers.flatMap(({ body }) => body.claims.map(({ messageId }) => messageId));
      expect([...claimed].sort()).to.deep.equal([...ids].sort());
      expect((await claim(AT_ONCE)).body.claims).to.deep.equal([]);
    });

    it('200: waits for a message, in the order of the requests that it fits', async () => {
      const other = await sleeping({ match: { subject: 'x' } });
      const first = await sleeping({ match: { subject: 'code' } });
      const second = await sleeping();
      await receive('code 1');
      expect(subjects(await first.answer)).to.deep.equal(['code 1']);
      await receive('code 2');
      expect(subjects(await second.answer)).to.deep.equal(['code 2']);
      await receive('x');
      expect(subjects(await other.answer)).to.deep.equal(['x']);
    });

    it('200: after a mark only', async () => {
      await receive('old');
      const mark = await test.mark();
      expect((await claim({ ...AT_ONCE, mark })).body.outcome).to.equal('timeout');
      await receive('new 1', 'new 2');
      const one = await claim({ ...AT_ONCE, mark });
      const two = await claim({ ...AT_ONCE, mark: one.body.mark });
      expect([one, two].map(subjects)).to.deep.equal([['new 1'], ['new 2']]);
    });

    it('200: a repeat with the same key gets the same claim, and none after a timeout', async () => {
      const none = await claim(AT_ONCE, { key: 'k' });
      expect(none.body.outcome).to.equal('timeout');
      const ids = await receive('1', '2');
      const one = await claim(AT_ONCE, { key: 'k' });
      const again = await claim(AT_ONCE, { key: 'k', on: 1 });
      expect(again.body).to.deep.equal(one.body);
      expect(again.headers.get('idempotency-replayed')).to.equal('true');
      await api.delete(`${BOX}/messages/${ids[0]!}`).expect(204);
      const read = await claim(AT_ONCE, { key: 'k' });
      expect(read.body.claims).to.deep.equal(one.body.claims);
      expect(read.body.messages).to.deep.equal([]);
      expect((await claim({ timeout: 1 }, { key: 'k' })).body.code).to.equal(
        'idempotency_mismatch',
      );
    });

    it('makes no claim for a client that has gone', async () => {
      const client = new AbortController();
      const { answer } = await sleeping({}, { signal: client.signal, key: 'gone' });
      client.abort();
      await answer.catch(() => undefined);
      await eventually('the end of the wait', async () => (await openWaits(test.context)) === 0);
      await receive('code');
      expect(await test.context.store.db.select().from(test.context.store.db.t.claims)).to.be.empty;
      expect(subjects(await claim({}, { key: 'gone' }))).to.deep.equal(['code']);
    });

    it('200: a message whose lease has ended, within a second', async () => {
      await receive('code');
      const held = await claim({ expiresIn: 5 });
      const { answer } = await sleeping({ timeout: 20 }, { on: 1 });
      const began = performance.now();
      await test.context.store.query(extendClaim, held.body.claims[0]!.id, 300);
      expect(subjects(await answer)).to.deep.equal(['code']);
      expect(performance.now() - began).to.be.within(250, WELL_BEFORE_MS);
    });

    it('200: the message with a code, and with a kind of link', async () => {
      await receive('other');
      const raw = 'Subject: s\r\n\r\nYour code is 482913\r\nhttps://a.test/reset-password?t=1';
      const id = await test.receive('box', raw);
      const match = { hasCode: true, link: 'reset' };
      const { body } = await claim({ timeout: 0, match });
      expect(body.claims.map(({ messageId }) => messageId)).to.deep.equal([id]);
      expect((await claim({ timeout: 0, match })).body.outcome).to.equal('timeout');
    });

    it('400: an unknown mark', async () => {
      expect((await claim({ mark: 'x' })).body.code).to.equal('invalid_request');
    });

    it('409: the first request with the same key still waits', async () => {
      const client = new AbortController();
      const { answer } = await sleeping({ timeout: 20 }, { key: 'busy', signal: client.signal });
      expect((await claim({ timeout: 20 }, { key: 'busy' })).body.code).to.equal('request_running');
      client.abort();
      await answer.catch(() => undefined);
    });

    it('401, 404, 503: at once when the token, the mailbox or the process goes', async () => {
      const member = await createToken(test.context, test.caller, { name: 'm', role: 'member' });
      const first = await sleeping({}, { token: member.value });
      await revokeToken(test.context, test.caller, member.row.id);
      expect((await first.answer).status).to.equal(401);
      const second = await sleeping();
      test.context.events.hub.close();
      const stopped = await second.answer;
      expect([stopped.status, stopped.headers.get('retry-after')]).to.deep.equal([503, '1']);
      expect((await claim()).status, 'begun after the stop').to.equal(503);
      const third = await sleeping({}, { on: 1 });
      await deleteMailbox(test.context, test.caller, 'box');
      expect((await third.answer).status).to.equal(404);
    });
  });

  describe('a claim', () => {
    const CLAIM = (id: string) => `${BOX}/messages/${id}/claim`;

    it('200, 404: is read while it is live', async () => {
      const [id = ''] = await receive('code');
      await api.get(CLAIM(id)).expect(404);
      const [made] = (await claim({ expiresIn: 60 })).body.claims;
      expect((await api.get(CLAIM(id)).expect(200)).body).to.deep.equal(made);
      await test.context.store.query(extendClaim, made!.id, -1);
      await api.get(CLAIM(id)).expect(404);
      await api.get(CLAIM('msg_x')).expect(404);
    });

    it('200, 409: is extended, also after its end, until another has it', async () => {
      const [id = ''] = await receive('code');
      const [made] = (await claim({ expiresIn: 60 })).body.claims;
      const put = (claimId: string, expiresIn: number | null) =>
        api.put(CLAIM(id)).send({ claimId, expiresIn });
      expect((await put(made!.id, null).expect(200)).body.expiresAt).to.equal(null);
      await test.context.store.query(extendClaim, made!.id, -1);
      const renewed = (await put(made!.id, 600).expect(200)).body as { expiresAt: string };
      expect(Date.parse(renewed.expiresAt)).to.be.closeTo(Date.now() + 600_000, 30_000);
      await test.context.store.query(extendClaim, made!.id, -1);
      await put('clm_other', 60).expect(404);
      await claim({ timeout: 0 });
      expect((await put(made!.id, 60).expect(409)).body.code).to.equal('claim_lost');
    });

    it('204, 400, 404, 409: is released, which wakes requests of other processes', async () => {
      const [id = ''] = await receive('code');
      const [made] = (await claim()).body.claims;
      const { answer } = await sleeping({}, { on: 1 });
      const free = `?claimId=${made!.id}`;
      await api.delete(CLAIM(id)).expect(400);
      expect((await api.delete(`${CLAIM(id)}?claimId=clm_x`).expect(409)).body.code).to.equal(
        'claim_lost',
      );
      await api.delete(CLAIM(id) + free).expect(204);
      const { body, tookMs } = await answer;
      expect(body.claims[0]!.messageId).to.equal(id);
      expect(tookMs).to.be.below(WELL_BEFORE_MS);
      await api.delete(CLAIM(id) + free).expect(409);
      await api.delete(`${CLAIM(id)}?claimId=${body.claims[0]!.id}`).expect(204);
      await api.delete(CLAIM(id) + free).expect(404);
    });

    it('filters lists and waits', async () => {
      const [first, second] = await receive('1', '2');
      await claim();
      const listed = async (query: string) =>
        (
          (await api.get(`${BOX}/messages?${query}`).expect(200)).body as Answer['body']
        ).messages.map(({ id }) => id);
      expect(await listed('claimed=true')).to.deep.equal([first]);
      expect(await listed('claimed=false&limit=1')).to.deep.equal([second]);
      const wait = async (query: string) =>
        (await api.get(`${BOX}/messages/wait?${query}`).expect(200)).body as Answer['body'];
      expect((await wait('claimed=false')).messages[0]!.id).to.equal(second);
      expect((await wait('claimed=true')).messages[0]!.id).to.equal(first);
      const both = wait('claimed=true&count=2');
      await claim();
      expect((await both).outcome).to.equal('matched');
    });

    it('ends with its message', async () => {
      const [id = ''] = await receive('code');
      await claim();
      await api.delete(`${BOX}/messages/${id}`).expect(204);
      await api.get(CLAIM(id)).expect(404);
      const { claims } = test.context.store.db.t;
      await eventually(
        'no claim',
        async () => (await test.context.store.db.select().from(claims)).length === 0,
      );
    });
  });
});
