import { expect } from 'chai';
import { openTestApi } from '../../support/context/api.ts';
import { openTestContext } from '../../support/context/context.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { type PostgresServer, startPostgres } from '../../support/servers/postgres-server.ts';
import { type TestS3, startS3 } from '../../support/servers/s3.ts';
import { databaseUrl, makeTemplate } from '../../support/context/test-database.ts';

describe('readiness', () => {
  let s3: TestS3;
  let postgres: PostgresServer;
  before(async () => {
    [s3, postgres] = await Promise.all([startS3(), startPostgres()]);
    await makeTemplate(postgres.url);
  });
  after(() => Promise.all([s3.remove(), postgres.stop()]));

  it('names the unavailable dependency, and recovers with it', async () => {
    const DATABASE_URL = databaseUrl(postgres.url, 'mayfly_template');
    const test = await openTestContext({ ...s3.env, DATABASE_URL });
    const api = openTestApi(test);
    const present = { database: 'ok', redis: 'ok', blobStore: 'ok' };
    const servers = { database: postgres, redis: test.redis, blobStore: s3 };
    for (const [part, server] of Object.entries(servers)) {
      expect((await api.get('/readyz', null).expect(200)).body).to.include(present);
      await server.kill();
      const { body } = await api.get('/readyz', null).expect(503);
      expect(body).to.deep.equal({ status: 'unavailable', ...present, [part]: 'unavailable' });
      await server.start();
      await eventually(`${part} to be back`, async () => (await api.get('/readyz', null)).ok);
    }
    await test.close();
  });
});
