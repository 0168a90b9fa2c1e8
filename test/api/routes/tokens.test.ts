import { expect } from 'chai';
import { nodeCryptography } from '../../../core/secrets/keyring.ts';
import { openTestApi } from '../../support/context/api.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { service } from '../../support/service.ts';

interface Listed {
  id: string;
  name: string;
  role: string;
  lastUsedAt: string | null;
}

describe('tokens over HTTP', () => {
  let cryptographyFails: 'hashing' | 'randomness' | null = null;
  const crypto: typeof nodeCryptography = {
    randomInt: (max) => {
      if (cryptographyFails === 'randomness') throw new Error('no entropy');
      return nodeCryptography.randomInt(max);
    },
    keyedHash: (key, purpose, text) => {
      if (cryptographyFails === 'hashing' && text !== test.workspace.token)
        throw new Error('no digest');
      return nodeCryptography.keyedHash(key, purpose, text);
    },
  };
  const test = service({ overrides: { crypto } });
  const { api, stranger } = test;
  afterEach(() => (cryptographyFails = null));

  const create = async (body: { name: string; role?: string }) =>
    (await api.post('/api/tokens').send(body).expect(201)).body as { id: string; token: string };
  const list = async (token?: string) =>
    (await api.get('/api/tokens', token).expect(200)).body as Listed[];

  it('gives a token no later expiry than that of the token that creates it', async () => {
    const make = async (token: string | undefined, expiresIn?: number | null) =>
      (await api.post('/api/tokens', token).send({ name: 'x', expiresIn }).expect(201)).body as {
        token: string;
        expiresAt: string | null;
      };
    const short = await make(undefined, 60);
    expect((await make(short.token)).expiresAt).to.equal(short.expiresAt);
    expect((await make(short.token, null)).expiresAt).to.equal(short.expiresAt);
    expect((await make(short.token, 3600)).expiresAt).to.equal(short.expiresAt);
    const shorter = await make(short.token, 30);
    expect(Date.parse(shorter.expiresAt!)).to.be.below(Date.parse(short.expiresAt!));
    expect((await make(undefined)).expiresAt).to.equal(null);
    test.advance(60_000);
    await api.get('/api/mailboxes', (await make(undefined, 60)).token).expect(200);
    await api.get('/api/mailboxes', short.token).expect(401);
  });

  describe('GET /api/tokens', () => {
    it('200: newest first, without values and revoked tokens', async () => {
      const gone = await create({ name: 'gone' });
      await create({ name: 'second', role: 'reader' });
      await create({ name: 'third' });
      await api.delete(`/api/tokens/${gone.id}`).expect(204);
      const { body, text } = await api.get('/api/tokens').expect(200);
      expect(body.map((token: Listed) => [token.name, token.role])).to.deep.equal([
        ['third', 'admin'],
        ['second', 'reader'],
        ['first token', 'admin'],
      ]);
      expect(body[0]).to.have.all.keys(
        ...['id', 'name', 'prefix', 'lastUsedAt', 'createdAt', 'role'],
        ...['expiresAt', 'mailboxes'],
      );
      expect(text).to.not.contain(test.workspace.token);
    });

    it('200: lastUsedAt appears soon after use, and changes at most once a minute', async () => {
      const { token } = await create({ name: 'used' });
      const used = async () =>
        (await list()).find(({ name }) => name === 'used')?.lastUsedAt ?? null;
      expect(await used()).to.equal(null);
      await api.get('/api/mailboxes', token).expect(200);
      const first = await eventually('the first use', used);
      test.advance(30_000);
      await api.get('/api/mailboxes', token).expect(200);
      await test.context.auth.tokenUse.flush();
      expect(await used()).to.equal(first);
      test.advance(31_000);
      await api.get('/api/mailboxes', token).expect(200);
      await test.context.auth.tokenUse.flush();
      expect(Date.parse((await used()) ?? '')).to.be.above(Date.parse(first) + 60_000);
    });

    it('200: without tokens of other workspaces', async () => {
      expect(await list(await stranger())).to.have.length(1);
    });
  });

  describe('POST /api/tokens', () => {
    it('201: a token that works at once, its value returned only here', async () => {
      const { body } = await api.post('/api/tokens').send({ name: 'ci — 🦋' }).expect(201);
      expect(body).to.have.all.keys(
        ...['id', 'name', 'prefix', 'token', 'createdAt', 'role', 'expiresAt', 'mailboxes'],
      );
      expect(body).to.include({ name: 'ci — 🦋', role: 'admin' });
      expect(body.id).to.match(/^tok_/);
      expect(body.token).to.match(/^mf_[0-9A-Za-z]{43}$/);
      expect(body.prefix).to.equal(body.token.slice(0, 8));
      await api.get('/api/tokens', body.token).expect(200);
      const rows = await test.context.store.db.select().from(test.context.store.db.t.tokens);
      expect(JSON.stringify(rows)).to.not.contain(body.token.slice(8));
    });

    for (const part of ['hashing', 'randomness'] as const) {
      it(`500: ${part} fails, and nothing is stored`, async () => {
        cryptographyFails = part;
        const answer = await api.post('/api/tokens').send({ name: 'x' }).expect(500);
        expect(answer.body).to.include({
          code: 'encryption_failed',
          error: 'The token could not be hashed. Nothing was stored. Retry the request.',
        });
        cryptographyFails = null;
        expect(await list()).to.have.length(1);
      });
    }
  });

  describe('DELETE /api/tokens/:id', () => {
    it('204: rejected at once in every process; 404 the second time', async () => {
      const other = openTestApi({ ...test, context: await test.another() });
      const { id, token } = await create({ name: 'x' });
      await other.get('/api/mailboxes', token).expect(200);
      const answer = await api.delete(`/api/tokens/${id}`).expect(204);
      expect(answer.text).to.equal('');
      await other.get('/api/mailboxes', token).expect(401);
      await api.get('/api/mailboxes', token).expect(401);
      expect(await list()).to.have.length(1);
      await api.delete(`/api/tokens/${id}`).expect(404);
    });

    it('204: the token of the request itself', async () => {
      const { id, token } = await create({ name: 'x' });
      await api.delete(`/api/tokens/${id}`, token).expect(204);
      await api.get('/api/tokens', token).expect(401);
    });
  });
});
