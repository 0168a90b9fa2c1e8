import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { Logger } from '../../../core/log.ts';
import { checkRedisPolicy } from '../../../core/redis/check-policy.ts';
import { type TestRedis, startRedis } from '../../support/servers/redis.ts';
import { rejection } from '../../support/mocha/rejection.ts';
import { type TempDir, makeTempDir } from '../../support/context/temp-dir.ts';

const ELSEWHERE = { production: false, redisAllowWeakPersistence: false };
const PRODUCTION = { ...ELSEWHERE, production: true };
const ALLOWED = { ...PRODUCTION, redisAllowWeakPersistence: true };

describe('the check of Redis settings', () => {
  let dir: TempDir;
  let redis: TestRedis;
  let client: Redis;
  let warnings: string[];
  const log = { warn: (text: string) => warnings.push(text) } as unknown as Logger;

  beforeEach(async () => {
    dir = await makeTempDir();
    redis = await startRedis(dir.path);
    client = new Redis(redis.socket);
    warnings = [];
  });
  afterEach(async () => {
    client.disconnect();
    await redis.stop();
    await dir.remove();
  });

  it('accepts a Redis with durable settings', async () => {
    await checkRedisPolicy(client, PRODUCTION, log);
    expect(warnings).to.deep.equal([]);
  });

  it('rejects a Redis without an append-only file in production, unless that is allowed', async () => {
    await client.config('SET', 'appendonly', 'no');
    const refused = String(await rejection(checkRedisPolicy(client, PRODUCTION, log)));
    expect(refused).to.include('set appendonly yes').and.include('REDIS_ALLOW_WEAK_PERSISTENCE');
    expect(warnings).to.deep.equal([]);
    await checkRedisPolicy(client, ALLOWED, log);
    await checkRedisPolicy(client, ELSEWHERE, log);
    expect(warnings).to.have.length(2);
    expect(warnings[0]).to.include('can lose accepted mail');
  });

  it('warns about an append-only file that is flushed after the reply', async () => {
    await client.config('SET', 'appendfsync', 'everysec');
    await checkRedisPolicy(client, PRODUCTION, log);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include('can lose accepted mail');
  });

  it('warns once if CONFIG is forbidden', async () => {
    await client.call('ACL', 'SETUSER', 'default', '-config');
    await checkRedisPolicy(client, PRODUCTION, log);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include('CONFIG GET not permitted').and.include('appendonly yes');
  });
});
