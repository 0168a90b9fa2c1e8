import { expect } from 'chai';
import { parseRedisAddress } from '../../../core/config/redis-address.ts';

describe('REDIS_URL', () => {
  const two = [
    { host: 'a', port: 1 },
    { host: 'b.test', port: 2 },
  ];

  it('takes a path of a socket as it is', () => {
    const path = '/tmp/a?b#c%20d/redis.sock';
    expect(parseRedisAddress(path)).to.deep.equal({ kind: 'socket', path });
  });

  for (const url of ['redis://h:6379/1', 'rediss://user:pw@h']) {
    it(`keeps ${url} unchanged`, () => {
      expect(parseRedisAddress(url)).to.deep.equal({ kind: 'server', url });
    });
  }

  it('parses sentinels, the master, the database and both passwords', () => {
    const url = 'rediss+sentinel://me:p%40ss@a:1,b.test:2/queue/3?sentinelPassword=s%26t';
    expect(parseRedisAddress(url)).to.deep.equal({
      kind: 'sentinel',
      sentinels: two,
      name: 'queue',
      db: 3,
      login: { username: 'me', password: 'p@ss' },
      sentinelPassword: 's&t',
      isTls: true,
    });
  });

  it('parses the nodes of a cluster', () => {
    expect(parseRedisAddress('redis+cluster://:pw@a:1,b.test:2')).to.deep.equal({
      kind: 'cluster',
      nodes: two,
      login: { password: 'pw' },
      isTls: false,
    });
  });

  it('applies default ports and parses IPv6 addresses', () => {
    expect(parseRedisAddress('redis+cluster://[::1]:7,[::2]')).to.deep.include({
      nodes: [
        { host: '::1', port: 7 },
        { host: '::2', port: 6379 },
      ],
    });
    expect(parseRedisAddress('redis+sentinel://a/m')).to.deep.include({
      sentinels: [{ host: 'a', port: 26_379 }],
    });
  });

  for (const url of [
    'http://h',
    'redis://',
    'redis+sentinel://a:1,b:2',
    'redis+cluster://a:1/name',
    'redis+cluster://secret-password@',
    'redis+cluster://a:1,,b:2',
  ]) {
    it(`rejects ${url}, without repeating a possible password`, () => {
      expect(() => parseRedisAddress(url))
        .to.throw(/^(must be redis:|invalid HOST)/)
        .and.not.match(/secret/);
    });
  }
});
