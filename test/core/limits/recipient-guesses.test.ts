import { expect } from 'chai';
import { Redis } from 'ioredis';
import { openGuessLimit } from '../../../core/limits/recipient-guesses.ts';
import { parseCidr } from '../../../core/config/cidr.ts';
import { makeTempDir, type TempDir } from '../../support/context/temp-dir.ts';
import { type TestRedis, startRedis } from '../../support/servers/redis.ts';

const LIMIT = 3;

describe('unknown recipients of an address', () => {
  let [dir, server] = [] as unknown as [TempDir, TestRedis];
  let redis: Redis;
  let now: number;

  before(async () => {
    dir = await makeTempDir();
    server = await startRedis(dir.path);
    redis = new Redis(server.socket);
  });
  after(async () => {
    redis.disconnect();
    await server.stop();
    await dir.remove();
  });
  beforeEach(async () => {
    await redis.flushall();
    now = 1_000_000_000_000 + 59_000; // shortly before a minute of the clock ends
  });

  const open = (isPrivate = false, networks: string[] = []) => {
    const limits = { unknownRecipientsPerMinute: LIMIT, relays: networks.map(parseCidr) };
    const config = { redisPrefix: 'p', isPrivate, smtp: limits } as unknown as Parameters<
      typeof openGuessLimit
    >[0];
    return openGuessLimit(config, redis, () => now);
  };

  it('are limited within any minute, over all processes and a /64 network', async () => {
    const [one, other] = [open(), open()];
    expect(await one.read('2001:db8::1')).to.equal('none');
    for (let n = 0; n < LIMIT; n += 1) {
      expect(await one.count(`2001:db8::${n}`)).to.equal(n === 0 ? 'none' : 'some');
      now += 10_000;
    }
    expect(await other.read('2001:db8::ffff')).to.equal('too many');
    expect(await other.count('2001:db8::ffff')).to.equal('too many');
    expect(await other.read('2001:db8:0:1::1')).to.equal('none');
    now += 29_999; // the first is 59.999 s old
    expect(await one.read('2001:db8::1')).to.equal('too many');
    now += 1;
    expect(await one.read('2001:db8::1')).to.equal('some');
    expect(await one.count('2001:db8::1')).to.equal('some');
    expect(await one.read('2001:db8::1')).to.equal('too many');
    now += 10_000;
    expect(await one.read('2001:db8::1')).to.equal('some');
    now += 50_000;
    expect(await one.count('2001:db8::1')).to.equal('some');
  });

  it('keep at most as many times as the limit, and none for good', async () => {
    const limit = open();
    for (let n = 0; n < 10 * LIMIT; n += 1) {
      await limit.count('192.0.2.1');
      now += 15_000;
    }
    const keys = await redis.keys('*');
    expect(keys).to.have.length(1);
    expect(await redis.llen(keys[0]!)).to.be.at.most(LIMIT + 1);
    expect(await redis.pttl(keys[0]!)).to.be.within(1, 60_000);
  });

  it('are not limited for relays, and for loopback of a private instance', async () => {
    for (const [limit, address] of [
      [open(false, ['192.0.2.0/24']), '192.0.2.9'],
      [open(false, ['192.0.2.0/24']), '::ffff:192.0.2.9'],
      [open(false, ['2001:db8::/32']), '2001:db8::9'],
      [open(true), '127.0.0.1'],
      [open(true), '::1'],
    ] as const) {
      for (let n = 0; n <= LIMIT; n += 1) await limit.count(address);
      expect(await limit.read(address), address).to.equal('none');
    }
    for (const address of ['127.0.0.1', '192.0.2.9']) {
      const limit = open();
      for (let n = 0; n <= LIMIT; n += 1) await limit.count(address);
      expect(await limit.read(address), address).to.equal('too many');
    }
  });
});
