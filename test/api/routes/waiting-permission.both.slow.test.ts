/** Waits and claims whose mailbox or token expires, or leaves the scope of the token, meanwhile. */
import { expect } from 'chai';
import { createToken } from '../../../core/auth/tokens.ts';
import { changeMailbox } from '../../../core/mailboxes/change.ts';
import { createMailboxes } from '../../../core/mailboxes/create.ts';
import { WELL_BEFORE_MS, whenWaiting } from '../../support/context/waits.ts';
import { service } from '../../support/service.ts';

interface Answer {
  status: number;
  headers: Headers;
  body: { code?: string; outcome?: string };
  tookMs: number;
}

const KINDS = {
  wait: (timeout: number) => ({ path: `wait?timeout=${timeout}&subject=code`, init: {} }),
  claim: (timeout: number) => ({
    path: 'claim',
    init: { method: 'POST', body: JSON.stringify({ timeout, match: { subject: 'code' } }) },
  }),
};

for (const [kind, requestOf] of Object.entries(KINDS)) {
  describe(`a ${kind} of a mailbox or token that goes`, () => {
    const test = service({ env: { RATE_LIMIT_PRO: '0' } });
    const { api, receive, token } = test;

    const ask = async (
      name: string,
      timeout: number,
      bearer = test.workspace.token,
    ): Promise<Answer> => {
      const { path, init } = requestOf(timeout);
      const began = performance.now();
      const { url } = await test.listen();
      const answer = await fetch(`${url}/api/mailboxes/${name}/messages/${path}`, {
        ...init,
        headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      });
      const body = (await answer.json()) as Answer['body'];
      const { status, headers } = answer;
      return { status, headers, body, tookMs: performance.now() - began };
    };
    const sleeping = async (name: string, timeout: number, bearer?: string) =>
      whenWaiting(test.context, await test.listen(), () => ({
        answer: ask(name, timeout, bearer),
      }));
    const create = (name: string, properties: object = {}) =>
      createMailboxes(test.context, test.caller, [{ name, ...properties }]);
    const narrow = async () => {
      await create('box', { labels: { run: 'x' } });
      return token('member', ['run:x']);
    };

    it('200 for the next request, whose message is not lost with the refused one', async () => {
      const refused = await sleeping('box', 20, await narrow());
      const next = await sleeping('box', 20);
      await changeMailbox(test.context, test.caller, 'box', { labels: {} });
      await receive('box', { subject: 'code' });
      expect((await refused.answer).status).to.equal(404);
      const { status, body } = await next.answer;
      expect([status, body.outcome]).to.deep.equal([200, 'matched']);
    });

    it('404: the mailbox has left the scope of a narrow token', async () => {
      const { answer } = await sleeping('box', 20, await narrow());
      await changeMailbox(test.context, test.caller, 'box', { labels: {} });
      await receive('box', { subject: 'code' });
      const { status, body } = await answer;
      expect([status, body.code]).to.deep.equal([404, 'not_found']);
      expect(await test.context.store.db.select().from(test.context.store.db.t.claims)).to.be.empty;
    });

    it('404 instead of a timeout then', async () => {
      const { answer } = await sleeping('box', 1, await narrow());
      await changeMailbox(test.context, test.caller, 'box', { labels: {} });
      expect((await answer).status).to.equal(404);
    });

    it('404: at once when the mailbox expires', async () => {
      await create('short', { expiresIn: 1 });
      const { status, body, tookMs } = await ask('short', 20);
      expect([status, body.code]).to.deep.equal([404, 'not_found']);
      expect(tookMs).to.be.below(WELL_BEFORE_MS);
    });

    it('continues when the mailbox got a longer lifetime', async () => {
      await create('short', { expiresIn: 1 });
      const { answer } = await sleeping('short', 2);
      await changeMailbox(test.context, test.caller, 'short', { expiresIn: 600 });
      const { status, body } = await answer;
      expect([status, body.outcome]).to.deep.equal([200, 'timeout']);
    });

    it('401: at once when the token expires', async () => {
      await create('box');
      const wanted = { name: 'm', role: 'member' as const, expiresIn: 1 };
      const { value } = await createToken(test.context, test.caller, wanted);
      const { status, body, tookMs } = await ask('box', 20, value);
      expect([status, body.code]).to.deep.equal([401, 'unauthorized']);
      expect(tookMs).to.be.below(WELL_BEFORE_MS);
    });

    it('shows the rate limit at the end of the request', async () => {
      let now = Date.UTC(2026, 0, 1);
      await test.reopen({ RATE_LIMIT_PRO: '1000' }, { now: () => now });
      await create('box');
      const { answer } = await sleeping('box', 1);
      await api.get('/api/mailboxes/box').expect(200);
      now += 20_000;
      const { headers } = await answer;
      expect(headers.get('ratelimit')).to.equal('"workspace";r=998;t=40');
    });
  });
}
