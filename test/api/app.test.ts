import { expect } from 'chai';
import { OUTSIDE_API } from '../../api/outside-api.ts';
import { readContract } from '../../api/contract/contract.ts';
import { operations } from '../support/contract/operations.ts';
import { service } from '../support/service.ts';

describe('the application', () => {
  const test = service();
  const { api } = test;

  it('is live without a token', async () => {
    expect((await api.get('/healthz', null).expect(200)).body).to.deep.equal({ status: 'ok' });
  });

  it('is ready when every dependency responds, and names one that does not', async () => {
    const parts = { database: 'ok', redis: 'ok', blobStore: 'ok' };
    expect((await api.get('/readyz', null).expect(200)).body).to.deep.equal({
      status: 'ok',
      ...parts,
    });
    await test.redis.kill();
    const answer = await api.get('/readyz', null).expect(503);
    expect(answer.body).to.deep.equal({ status: 'unavailable', ...parts, redis: 'unavailable' });
  });

  it('reports not ready within the time limit if a dependency hangs', async () => {
    const { check } = test.context.blobs;
    test.context.blobs.check = () => new Promise(() => undefined);
    const asked = performance.now();
    const answer = await api.get('/readyz', null).expect(503);
    expect(performance.now() - asked).to.be.lessThan(20_000);
    expect(answer.body).to.include({ database: 'ok', redis: 'ok', blobStore: 'unavailable' });
    test.context.blobs.check = check;
  });

  it('responds with 404 to unknown routes', async () => {
    expect((await api.get('/nowhere', null).expect(404)).body.code).to.equal('not_found');
    await api.get('/api/nowhere').expect(404);
  });

  it('serves nothing outside /api that `npm run dev` does not pass on', () => {
    const firsts = operations.map(({ path }) => path.split('/')[1]);
    expect(['api', ...OUTSIDE_API]).to.include.members([...new Set(firsts)]);
  });

  it('has the version of the contract in every response', async () => {
    const { version } = readContract().info;
    for (const path of ['/api/mailboxes', '/api/nowhere', '/healthz', '/llms.txt']) {
      expect((await api.get(path)).headers['mayfly-version'], path).to.equal(version);
    }
  });

  it('sends security headers, and no X-Powered-By', async () => {
    const { headers } = await api.get('/api/mailboxes').expect(200);
    expect(headers).to.include({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(headers).to.not.have.any.keys('x-powered-by', 'strict-transport-security');
    expect(headers['content-security-policy']).not.to.contain('upgrade-insecure-requests');
  });
});
