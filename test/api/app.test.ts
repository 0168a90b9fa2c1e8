import { expect } from 'chai';
import { readContract } from '../../api/contract/contract.ts';
import { type TestApi, openTestApi } from '../support/context/api.ts';
import { type TestContext, openTestContext } from '../support/context/context.ts';

describe('the application', () => {
  let test: TestContext;
  let api: TestApi;

  beforeEach(async () => {
    test = await openTestContext();
    api = openTestApi(test);
  });
  afterEach(() => test.close());

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

  it('responds with 404 to unknown routes and with 405 and Allow to other methods', async () => {
    expect((await api.get('/nowhere', null).expect(404)).body.code).to.equal('not_found');
    await api.get('/api/nowhere').expect(404);
    const answer = await api.patch('/api/mailboxes').expect(405);
    expect(answer.headers.allow?.split(', ')).to.have.members(['GET', 'HEAD', 'POST', 'DELETE']);
    expect(answer.body.code).to.equal('method_not_allowed');
  });

  it('has the same request id in the header and in the error', async () => {
    const answer = await api.get('/api/mailboxes', null).expect(401);
    expect(answer.headers['x-request-id']).to.match(/^req_/);
    expect(answer.body.requestId).to.equal(answer.headers['x-request-id']);
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

  it('treats an invalid percent-encoding as a bad request', async () => {
    await api.get('/api/mailboxes/%E0%A4%A/messages').expect(400);
  });
});
