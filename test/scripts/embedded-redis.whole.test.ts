import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { embeddedRedisSocket } from '../../core/config/redis.ts';
import { launchUp } from '../support/process/product.ts';
import { sharedProduct } from '../support/process/shared-product.ts';
import { tempDir } from '../support/context/temp-dir.ts';

describe('the embedded Redis of up', () => {
  const folder = tempDir('each');

  it('listens on a private socket only and syncs each command to disk', async () => {
    const { dataDir } = await sharedProduct();
    const socket = embeddedRedisSocket(dataDir);
    const redis = new Redis(socket);
    try {
      expect((await stat(socket)).mode & 0o777).to.equal(0o700);
      expect(await setting(redis, 'port')).to.equal('0');
      expect(await setting(redis, 'appendonly')).to.equal('yes');
      expect(await setting(redis, 'appendfsync')).to.equal('always');
      expect(await setting(redis, 'maxmemory-policy')).to.equal('noeviction');
      expect(Number(await setting(redis, 'maxmemory'))).to.be.above(1024 ** 3);
    } finally {
      redis.disconnect();
    }
  });

  it('reports its own error if its data cannot be loaded', async () => {
    const log = join(folder.path, 'redis', 'appendonlydir');
    await mkdir(log, { recursive: true });
    const file = 'appendonly.aof.1.incr.aof';
    await writeFile(join(log, 'appendonly.aof.manifest'), `file ${file} seq 1 type i\n`);
    await writeFile(join(log, file), 'this is no command\n');

    const up = await launchUp({ DATA_DIR: folder.path });
    expect(await up.exited).to.equal(1);
    expect(up.output()).to.match(/^mayfly: Redis failed to start in .*: Bad file format/m);
  });

  it('is requested in one sentence if no server is installed', async () => {
    const up = await launchUp({ DATA_DIR: folder.path, PATH: folder.path });
    expect(await up.exited).to.equal(1);
    expect(up.output()).to.match(
      /^mayfly: Neither redis-server nor valkey-server is installed\. .*\n$/,
    );
  });

  it('is not started if REDIS_URL is set', async () => {
    const up = await launchUp({ DATA_DIR: folder.path, REDIS_URL: 'redis://127.0.0.1:1' });
    expect(await up.exited).to.equal(1);
    expect(up.output()).to.not.match(/^redis/m);
    expect(up.output()).to.include('Redis at REDIS_URL does not respond');
  });
});

async function setting(redis: Redis, name: string): Promise<string> {
  const reply = (await redis.config('GET', name)) as string[] | Record<string, string>;
  return Array.isArray(reply) ? (reply[1] ?? '') : (reply[name] ?? '');
}
