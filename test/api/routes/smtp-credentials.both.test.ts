import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { purgeDeletedMailboxes } from '../../../core/retention/purge.ts';
import { recordCredentialUse } from '../../../jobs/scheduled.ts';
import { startReconciliation } from '../../../jobs/reconcile-redis.ts';
import { service } from '../../support/service.ts';

const PATH = '/api/mailboxes/box/smtp-credentials';
const RUN = { jobId: 'x', start: 1, stalls: 0 };

describe('SMTP credentials over HTTP', () => {
  const test = service({ mailboxes: ['box'] });
  const { api, reopen, token } = test;

  const create = async (name = 'staging', path = PATH) =>
    (await api.post(path).send({ name }).expect(201)).body;
  const list = async (token?: string) => (await api.get(PATH, token).expect(200)).body;
  const stored = (username: string) =>
    test.context.redis.hget('{mayfly}:directory:credentials', username);
  const found = (username: string) => test.context.credentials.find(username);

  describe('with the defaults', () => {
    it('201: shows the password and the URL once and stores only a hash', async () => {
      const made = await create();
      expect(made.id).to.match(/^smc_[0-9a-z]{26}$/);
      expect(made.username).to.match(/^box-[2-9a-z]{8}$/);
      expect(made.password).to.match(/^[0-9A-Za-z]{32}$/);
      expect(made).to.include({ name: 'staging', host: '127.0.0.1', port: 2525, tls: 'none' });
      expect(made.url).to.equal(`smtp://${made.username}:${made.password}@127.0.0.1:2525`);
      expect(made.lastUsedAt).to.equal(null);
      const hash = createHash('sha256').update(made.password).digest('hex');
      const [row] = await test.context.store.db
        .select()
        .from(test.context.store.db.t.smtpCredentials);
      expect(row?.passwordHash).to.equal(hash);
      expect(JSON.stringify(row)).not.to.contain(made.password);
      expect(await stored(made.username))
        .to.contain(hash)
        .and.contain('box@one.test');
    });

    it('200: lists newest first without passwords, also for a reader', async () => {
      const first = await create('first');
      test.advance(10);
      const second = await create('second');
      const listed = await list(await token('reader'));
      expect(listed.map(({ id }: { id: string }) => id)).to.eql([second.id, first.id]);
      expect(JSON.stringify(listed)).not.to.contain(first.password);
      expect(Object.keys(listed[0])).not.to.include('password').and.not.include('url');
    });

    it('403: the 21st credential of a mailbox, with the limit', async () => {
      for (let n = 0; n < 20; n += 1) await create(`n${n}`);
      const { body } = await api.post(PATH).send({ name: 'x' }).expect(403);
      expect(body).to.deep.include({ code: 'credential_limit', details: { limit: 20 } });
      await api.post('/api/mailboxes').send({ name: 'other' }).expect(201);
      await create('x', '/api/mailboxes/other/smtp-credentials');
    });

    it('enforces the limit for concurrent requests', async () => {
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, n) => api.post(PATH).send({ name: `n${n}` })),
      );
      expect(answers.filter(({ status }) => status === 201)).to.have.length(20);
      expect(await list()).to.have.length(20);
    });

    it('200: replaces the password; the previous one is refused', async () => {
      const made = await create();
      const path = `${PATH}/${made.id as string}/rotate-password`;
      const { body } = await api.post(path).expect(200);
      expect(body).to.include({ id: made.id, username: made.username });
      expect(body.password)
        .to.match(/^[0-9A-Za-z]{32}$/)
        .and.not.equal(made.password);
      expect(body.url).to.contain(body.password);
      const hash = createHash('sha256')
        .update(body.password as string)
        .digest('hex');
      expect(await found(made.username)).to.include({ id: made.id, passwordHash: hash });
    });

    it('204: deletes; 404 the second time', async () => {
      const made = await create();
      await api.delete(`${PATH}/${made.id as string}`).expect(204);
      expect(await found(made.username)).to.equal(null);
      expect(await list()).to.eql([]);
      await api.delete(`${PATH}/${made.id as string}`).expect(404);
      await api.post(`${PATH}/${made.id as string}/rotate-password`).expect(404);
    });

    it('503: Redis is unavailable; no credential is created', async () => {
      const made = await create();
      await test.redis.kill();
      const own = `${PATH}/${made.id as string}`;
      await api.post(PATH).send({ name: 'x' }).expect(503);
      await api.post(`${own}/rotate-password`).expect(503);
      await api.delete(own).expect(503);
      expect(await list()).to.have.length(1);
    });

    it('are refused and removed when their mailbox is deleted', async () => {
      const made = await create();
      await api.delete('/api/mailboxes/box').expect(204);
      expect(await found(made.username)).to.equal(null);
      await purgeDeletedMailboxes(test.context);
      const { db } = test.context.store;
      expect(await db.select().from(db.t.smtpCredentials)).to.eql([]);
      expect(await db.select().from(db.t.mailboxes)).to.eql([]);
    });

    it('are added to Redis, corrected and removed to match the database', async () => {
      const [one, two] = [await create('one'), await create('two')];
      const { redis } = test.context;
      await redis.flushall();
      expect(await found(one.username)).to.equal('incomplete');
      const reconciliation = await startReconciliation(test.context);
      await reconciliation.stop();
      expect(await found(one.username)).to.include({ id: one.id });
      await redis.hset('{mayfly}:directory:credentials', {
        [one.username]: 'smc_x 1 mbx_x box@one.test abc',
        ghost: 'smc_y 1 mbx_y box@one.test abc',
      });
      await (await startReconciliation(test.context)).stop();
      expect(await found(one.username)).to.include({ id: one.id });
      expect(await found(two.username)).to.include({ id: two.id });
      expect(await stored('ghost')).to.equal(null);
    });

    it('ignore late commands: an older password, and any password after the deletion', async () => {
      const made = await create();
      const entry = await found(made.username);
      if (entry === null || entry === 'incomplete') throw new Error('no entry');
      await test.context.credentials.set({ ...entry, passwordSetAt: 1, passwordHash: 'old' });
      expect(await found(made.username)).to.eql(entry);
      await api.delete(`${PATH}/${made.id as string}`).expect(204);
      await test.context.credentials.set(entry);
      expect(await found(made.username)).to.equal(null);
    });

    it('show their last use, recorded at most once a minute', async () => {
      const made = await create();
      const { credentials } = test.context;
      const at = test.context.now();
      const use = async (usedAt: number) => {
        await credentials.recordUse(made.id as string, usedAt);
        await recordCredentialUse.run(test.context, {}, RUN);
        return (await list())[0].lastUsedAt as string;
      };
      expect(await use(at)).to.equal(new Date(at).toISOString());
      expect(await use(at + 59_000)).to.equal(new Date(at).toISOString());
      expect(await use(at + 61_000)).to.equal(new Date(at + 61_000).toISOString());
    });
  });

  const TLS = { TLS_CERT_FILE: 'cert.pem', TLS_KEY_FILE: 'key.pem' };
  for (const [what, env, expected] of [
    ['STARTTLS', TLS, { host: '127.0.0.1', port: 2525, tls: 'starttls' }],
    ['SMTP_HOSTNAME', { SMTP_HOSTNAME: 'mx.acme.test' }, { host: 'mx.acme.test', tls: 'none' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://m.acme.test:8443/' }, { host: 'm.acme.test' }],
    ['an IPv6 PUBLIC_URL', { PUBLIC_URL: 'http://[::1]:80' }, { host: '::1' }],
    [
      'SMTP_SUBMISSION_PORT',
      { ...TLS, SMTP_SUBMISSION_PORT: '587', SMTPS_PORT: '465' },
      { port: 587, tls: 'starttls' },
    ],
    ['SMTPS_PORT', { ...TLS, SMTPS_PORT: '465' }, { port: 465, tls: 'tls' }],
  ] as const) {
    it(`show host and port for clients, with ${what}`, async () => {
      await reopen(env);
      const made = await create();
      expect(made).to.include(expected);
      const url = new URL(made.url as string);
      expect(url.protocol).to.equal(made.tls === 'tls' ? 'smtps:' : 'smtp:');
      expect(url.hostname.replace(/[[\]]/g, '')).to.equal(made.host);
      expect(Number(url.port)).to.equal(made.port);
    });
  }
});
