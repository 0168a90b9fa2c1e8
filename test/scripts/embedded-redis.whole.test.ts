import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { embeddedRedisSocket } from '../../core/config/redis.ts';
import { launchUp, startProduct } from '../support/process/product.ts';
import { tempDir } from '../support/context/temp-dir.ts';

describe('the embedded Redis of up', () => {
  const folder = tempDir('all');

  it('listens on a private socket only and syncs each command to disk', async () => {
    const product = await startProduct({ DATA_DIR: folder.path });
    const socket = embeddedRedisSocket(folder.path);
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
      await product.stop();
    }
  });

  it('starts in a folder whose name looks like a URL', async () => {
    const product = await startProduct({ DATA_DIR: join(folder.path, 'a?b=1#c%20d') });
    try {
      const answer = await fetch(`http://127.0.0.1:${product.httpPort}/readyz`);
      expect(await answer.json()).to.include({ status: 'ok', redis: 'ok' });
    } finally {
      await product.stop();
    }
  });

  it('reports its own error if its data cannot be loaded', async () => {
    const log = join(folder.path, 'redis', 'appendonlydir');
    const [file] = (await readdir(log)).filter((name) => name.endsWith('.incr.aof'));
    await writeFile(join(log, file!), 'this is no command\n');

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
