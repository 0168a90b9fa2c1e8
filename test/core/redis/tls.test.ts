import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type Config, readConfig } from '../../../core/config/config.ts';
import { openLog } from '../../../core/log.ts';
import {
  type RedisClient,
  closeRedis,
  openBlockingRedis,
  openRedis,
  openSubscriber,
} from '../../../core/redis/client.ts';
import { type Certificates, makeCertificates } from '../../support/servers/certificates.ts';
import { rejection } from '../../support/mocha/rejection.ts';
import { type TlsRedis, startTlsRedis } from '../../support/servers/tls-redis.ts';

describe('Redis behind TLS', () => {
  let certificates: Certificates;
  let server: TlsRedis;
  before(async () => {
    certificates = await makeCertificates();
    server = await startTlsRedis(certificates);
  });
  after(async () => {
    await server.stop();
    await certificates.remove();
  });

  const config = (env: Record<string, string>, url = server.url) =>
    readConfig({ REDIS_URL: url, LOG_LEVEL: 'error', ...env }, 'smtp');

  it('is reached by every kind of client, verified against REDIS_CA_FILE', async () => {
    const target = config({ REDIS_CA_FILE: certificates.caFile });
    const log = openLog(target);
    const clients = [
      await openRedis(target, log),
      openBlockingRedis(target, log),
      openSubscriber(target, log),
    ];
    // BullMQ duplicates the given connections.
    for (const client of [...clients, ...clients.map(duplicate)]) {
      expect(await client.ping()).to.equal('PONG');
      await closeRedis(client);
    }
  });

  it('is reached unverified with REDIS_TLS=require', async () => {
    const target = config({ REDIS_TLS: 'require' });
    const redis = await openRedis(target, openLog(target));
    expect(await redis.ping()).to.equal('PONG');
    await closeRedis(redis);
  });

  it('is rejected with the reason if its issuer is unknown or its name differs', async () => {
    const url = server.url.replace('127.0.0.1', 'localhost');
    const [unknown, misnamed] = await Promise.all([
      refusedBy(config({})),
      refusedBy(config({ REDIS_CA_FILE: certificates.caFile }, url)),
    ]);
    expect(unknown).to.match(/Redis at REDIS_URL does not respond \(.*certificate.*\)$/);
    expect(misnamed).to.contain("does not match certificate's altnames");
  });
});

async function refusedBy(target: Config): Promise<string> {
  return String(await rejection(openRedis(target, openLog(target))));
}

function duplicate(client: RedisClient): RedisClient {
  if (!(client instanceof Redis)) throw new Error('this test needs a single server');
  return client.duplicate();
}
