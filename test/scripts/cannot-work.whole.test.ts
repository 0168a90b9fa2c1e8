import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import type { RequestListener } from 'node:http';
import { Redis } from 'ioredis';
import { launch } from '../support/process/process.ts';
import { type TestRedis, startRedis } from '../support/servers/redis.ts';
import { startS3 } from '../support/servers/s3.ts';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';

const ENTRIES = {
  web: 'api/server',
  worker: 'jobs/worker',
  smtp: 'haraka-plugin/server',
};

describe('a process that cannot start', () => {
  let dir: TempDir;
  let redis: TestRedis;
  before(async () => {
    dir = await makeTempDir();
    redis = await startRedis(dir.path);
    const migration = launch('scripts/cli/migrate', { DATA_DIR: dir.path });
    expect(await migration.exited, migration.stderr()).to.equal(0);
  });
  after(async () => {
    await redis.stop();
    await dir.remove();
  });

  /** Its output on stderr before it exits with 1. */
  const lastWords = async (entry: string, env: Record<string, string>) => {
    const { exited, stderr } = launch(entry, {
      DATA_DIR: dir.path,
      BIND_HOST: '127.0.0.1',
      ...env,
    });
    expect(await exited, stderr()).to.equal(1);
    return stderr();
  };

  it('reports it: web with an invalid configuration', async () => {
    const words = await lastWords(ENTRIES.web, { PORT: 'x', DATABASE_URL: 'mysql:' });
    expect(words).to.match(
      /^mayfly: Invalid configuration:\n {2}- PORT .*\n {2}- DATABASE_URL .*\n$/,
    );
  });

  it('reports it: worker with a Redis that can evict mail', async () => {
    const client = new Redis(redis.socket);
    try {
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      expect(await lastWords(ENTRIES.worker, {})).to.equal(
        'mayfly: Redis has maxmemory-policy allkeys-lru and can evict accepted mail: set it to noeviction\n',
      );
    } finally {
      await client.config('SET', 'maxmemory-policy', 'noeviction');
      client.disconnect();
    }
  });

  /** Gives the variables of a bucket that answers each write in this way. */
  const withFailingWrites = async (
    status: number,
    body: string,
    use: (env: Record<string, string>) => Promise<void>,
  ) => {
    const s3 = await startS3();
    const failing =
      (serve: RequestListener): RequestListener =>
      (req, res) => {
        if (req.method === 'PUT') res.writeHead(status, { Connection: 'close' }).end(body);
        else serve(req, res);
      };
    try {
      await s3.misbehave(failing, () => use(s3.env));
    } finally {
      await s3.remove();
    }
  };

  it('reports it: worker with a bucket that refuses writes', async () => {
    const body = '<Error><Code>PermanentRedirect</Code><Region>eu-west-1</Region></Error>';
    await withFailingWrites(301, body, async (env) => {
      expect(await lastWords(ENTRIES.worker, env)).to.match(
        /^mayfly: The blob store cannot be used: S3 answered 301 PermanentRedirect.* The bucket is in eu-west-1: set S3_REGION.*\n$/,
      );
    });
  });

  it('starts with a bucket that cannot store for the time being, and warns', async () => {
    await withFailingWrites(503, '', async (env) => {
      const { exited, stderr } = launch('scripts/cli/list-workspaces', {
        DATA_DIR: dir.path,
        ...env,
      });
      expect(await exited, stderr()).to.equal(0);
      expect(stderr()).to.match(
        /^mayfly: instance id not written to the blob store: .*S3 answered 503 /,
      );
    });
  });

  it('reports it: the release command with a wrong host of PostgreSQL', async () => {
    const env = { DATABASE_URL: 'postgres://mayfly@no-such-host.invalid/mayfly' };
    const words = await lastWords('scripts/cli/migrate', env);
    expect(words).to.match(/^mayfly: .*no-such-host\.invalid.*\n$/);
  });

  it('reports it: web without Redis', async () => {
    expect(await lastWords(ENTRIES.web, { REDIS_URL: 'redis://127.0.0.1:1' })).to.match(
      /^mayfly: Redis at REDIS_URL does not respond \(.*\)\n$/,
    );
  });

  it('reports it: worker without a database', async () => {
    const words = await lastWords(ENTRIES.worker, { DATABASE_URL: `sqlite:${dir.path}/none` });
    expect(words).to.equal(`mayfly: no database at ${dir.path}/none: run npm run migrate\n`);
  });

  it('reports it: the worker with a Redis that hangs', async () => {
    redis.pause();
    try {
      expect(await lastWords(ENTRIES.worker, {})).to.match(/^mayfly: no Redis at .*\n$/);
    } finally {
      redis.resume();
    }
  });

  for (const processes of ['1', '2']) {
    it(`reports it: web when its port is in use, with WEB_PROCESSES=${processes}`, async () => {
      const holder = createServer().listen(0, '127.0.0.1');
      await once(holder, 'listening');
      const { port } = holder.address() as AddressInfo;
      const words = await lastWords(ENTRIES.web, { PORT: String(port), WEB_PROCESSES: processes });
      holder.close();
      const lines = words.split(/(?<=\n)/);
      expect(lines[0]).to.equal(`mayfly: port ${port} (PORT) is already in use\n`);
      expect(lines).to.have.length(processes === '1' ? 1 : 3); // each process reports it, and the first one that another failed to start
    });
  }
});
