import { expect } from 'chai';
import { createToken, revokeToken } from '../../../core/auth/tokens.ts';
import { SESSION_TTL_SECONDS } from '../../../core/auth/browser-sessions.ts';
import { service } from '../../support/service.ts';

interface SignedIn {
  cookie: string;
  csrf: string;
}

describe('browser sessions', () => {
  const test = service({ env: { REDIS_TIMEOUT_MS: '4000' } });
  const { api } = test;

  const signIn = async (token?: string): Promise<SignedIn & { setCookie: string }> => {
    const { headers, body } = await api.post('/api/session', token).expect(201);
    const [setCookie = ''] = headers['set-cookie'] as unknown as string[];
    const cookie = setCookie.slice(0, setCookie.indexOf(';'));
    return { cookie, csrf: (body as { csrfToken: string }).csrfToken, setCookie };
  };
  const read = ({ cookie }: SignedIn, path = '/api/session') =>
    api.get(path, null).set('Cookie', cookie);
  const create = ({ cookie, csrf }: SignedIn) =>
    api.post('/api/mailboxes', null).set('Cookie', cookie).set('X-CSRF-Token', csrf);
  const sessionKeys = async () => test.context.redis.keys('{mayfly}:session:*');

  describe('POST /api/session', () => {
    it('201: returns the session, in an HttpOnly, same-site cookie', async () => {
      const { body, headers } = await api.post('/api/session').expect(201);
      expect(body).to.deep.include({
        workspace: { id: test.caller.workspace.id, domain: 'one.test', plan: 'pro' },
        limits: { mailboxes: 500, webhooksPerMailbox: 50, messageTtlMs: 86_400_000 },
        publicUrl: 'http://localhost:3000',
        smtp: { host: 'localhost', port: 2525, selfSigned: false },
        queuesUrl: null,
      });
      expect(headers['set-cookie']![0]).to.match(
        /^mayfly_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
      );
    });

    it('201: with Secure if the public URL is https', async () => {
      await test.reopen({ PUBLIC_URL: 'https://mail.example.com' });
      const { headers } = await api.post('/api/session').expect(201);
      expect(headers['set-cookie']![0]).to.match(/; Secure/);
    });

    it('201: for a reader token, which stays read-only', async () => {
      const session = await signIn(await test.token('reader'));
      await read(session, '/api/mailboxes').expect(200);
      await create(session).expect(403);
      await api
        .delete('/api/session', null)
        .set('Cookie', session.cookie)
        .set('X-CSRF-Token', session.csrf)
        .expect(204);
    });

    it('201: stores neither the token nor the session id in plain text', async () => {
      const { cookie } = await signIn();
      const [key = ''] = await sessionKeys();
      const kept = key + String(await test.context.redis.get(key));
      expect(kept).not.to.contain(test.workspace.token);
      expect(kept).not.to.contain(cookie.slice(cookie.indexOf('=') + 1));
      expect(kept).to.contain(test.caller.token.id);
    });

    it('401: with a session instead of a token', async () => {
      const { cookie, csrf } = await signIn();
      for (const path of ['/api/session', '/api/session/', '/API/Session']) {
        const bare = api.post(path, null).set('Cookie', cookie);
        const proven = api.post(path, null).set('Cookie', cookie).set('X-CSRF-Token', csrf);
        for (const request of [bare, proven]) {
          const { body, headers } = await request.expect(401);
          expect(body).to.include({ code: 'unauthorized' });
          expect(headers).not.to.have.property('set-cookie');
        }
      }
      expect(await sessionKeys()).to.have.length(1);
    });

    it('201: with a token beside the session of another', async () => {
      const { cookie } = await signIn();
      const other = await createToken(test.context, test.caller, { name: 'o', role: 'member' });
      const { body } = await api
        .post('/api/session', other.value)
        .set('Cookie', cookie)
        .expect(201);
      expect(body).to.deep.nested.include({ 'token.id': other.row.id });
    });

    it('503: while Redis is unavailable', async () => {
      await test.redis.stop();
      await api.post('/api/session').expect(503);
    });
  });

  describe('a request by session', () => {
    it('200: reads like its token', async () => {
      const session = await signIn();
      const { body } = await read(session).expect(200);
      expect(body).to.deep.include({ csrfToken: session.csrf });
      await read(session, '/api/tokens').expect(200);
    });

    it('201: changes with its CSRF token', async () => {
      await create(await signIn()).expect(201);
    });

    it('403: changes nothing without its CSRF token, or with that of another session', async () => {
      const [session, other] = [await signIn(), await signIn()];
      for (const csrf of ['', 'x', other.csrf]) await create({ ...session, csrf }).expect(403);
      await api.post('/api/mailboxes', null).set('Cookie', session.cookie).expect(403);
      expect((await read(session, '/api/mailboxes').expect(200)).body).to.deep.equal([]);
    });

    it('401: after its token is revoked', async () => {
      const { row, value } = await createToken(test.context, test.caller, {
        name: 'b',
        role: 'admin',
      });
      const session = await signIn(value);
      await revokeToken(test.context, test.caller, row.id);
      await read(session).expect(401);
      await create(session).expect(401);
    });

    it('401: with an id that is malformed, unknown, or beside an invalid token', async () => {
      const session = await signIn();
      for (const id of ['', 'x', 'x'.repeat(43)]) {
        await read({ ...session, cookie: `mayfly_session=${id}` }).expect(401);
      }
      await read(session)
        .set('Authorization', `Bearer mf_${'x'.repeat(43)}`)
        .expect(401);
    });

    it('401: after it was idle for too long; use extends it', async () => {
      const session = await signIn();
      const [key = ''] = await sessionKeys();
      const left = () => test.context.redis.ttl(key);
      await test.context.redis.expire(key, SESSION_TTL_SECONDS - 1000);
      await read(session).expect(200);
      expect(await left()).to.be.greaterThan(SESSION_TTL_SECONDS - 60);
      await test.context.redis.del(key);
      await read(session).expect(401);
    });

    it('503: while Redis is unavailable', async () => {
      const session = await signIn();
      await test.redis.stop();
      await read(session).expect(503);
    });
  });

  describe('GET /api/session', () => {
    it('200: also for a token, without a CSRF token', async () => {
      const { body } = await api.get('/api/session').expect(200);
      expect(body).to.deep.include({ csrfToken: null });
    });
  });

  describe('DELETE /api/session', () => {
    it('204: ends this session at once, and no other', async () => {
      const [session, other] = [await signIn(), await signIn()];
      const { headers } = await api
        .delete('/api/session', null)
        .set('Cookie', session.cookie)
        .set('X-CSRF-Token', session.csrf)
        .expect(204);
      expect(headers['set-cookie']![0]).to.match(/^mayfly_session=; .*Expires=Thu, 01 Jan 1970/);
      await read(session).expect(401);
      await read(other).expect(200);
    });

    it('204: for a token, without a session', async () => {
      await api.delete('/api/session').expect(204);
    });

    it('403: without its CSRF token', async () => {
      const session = await signIn();
      await api.delete('/api/session', null).set('Cookie', session.cookie).expect(403);
      await read(session).expect(200);
    });
  });
});
