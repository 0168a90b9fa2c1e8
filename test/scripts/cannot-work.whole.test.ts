import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import Database from 'better-sqlite3';
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

  it('reports it: smtp in production with a Redis without an append-only file', async () => {
    const client = new Redis(redis.socket);
    try {
      await client.config('SET', 'appendonly', 'no');
      expect(await lastWords(ENTRIES.smtp, { NODE_ENV: 'production' })).to.match(
        /^mayfly: Redis has appendonly no and loses .*REDIS_ALLOW_WEAK_PERSISTENCE=true\n$/,
      );
    } finally {
      await client.config('SET', 'appendonly', 'yes');
      client.disconnect();
    }
  });

  it('reports it: smtp with a bucket that refuses it', async () => {
    const s3 = await startS3();
    const body = '<Error><Code>SignatureDoesNotMatch</Code><Message>Because.</Message></Error>';
    const refuse = (): RequestListener => (_req, res) => res.writeHead(403).end(body);
    try {
      await s3.misbehave(refuse, async () => {
        expect(await lastWords(ENTRIES.smtp, s3.env)).to.match(
          /^mayfly: The blob store cannot be used: S3 answered 403 SignatureDoesNotMatch: Because\. \(bucket mayfly-test, endpoint http:.*\)\n$/,
        );
      });
    } finally {
      await s3.remove();
    }
  });

  it('reports it: worker with a bucket that refuses writes', async () => {
    const s3 = await startS3();
    const body = '<Error><Code>PermanentRedirect</Code><Region>eu-west-1</Region></Error>';
    const refuseWrites =
      (serve: RequestListener): RequestListener =>
      (req, res) => {
        if (req.method === 'PUT') res.writeHead(301, { Connection: 'close' }).end(body);
        else serve(req, res);
      };
    try {
      await s3.misbehave(refuseWrites, async () => {
        expect(await lastWords(ENTRIES.worker, s3.env)).to.match(
          /^mayfly: The blob store cannot be used: S3 answered 301 PermanentRedirect.* The bucket is in eu-west-1: set S3_REGION.*\n$/,
        );
      });
    } finally {
      await s3.remove();
    }
  });

  it('starts with a bucket that cannot store for the time being, and warns', async () => {
    const s3 = await startS3();
    const failWrites =
      (serve: RequestListener): RequestListener =>
      (req, res) => {
        if (req.method === 'PUT') res.writeHead(503, { Connection: 'close' }).end();
        else serve(req, res);
      };
    try {
      await s3.misbehave(failWrites, async () => {
        const { exited, stderr } = launch('scripts/cli/list-workspaces', {
          DATA_DIR: dir.path,
          ...s3.env,
        });
        expect(await exited, stderr()).to.equal(0);
        expect(stderr()).to.match(
          /^mayfly: instance id not written to the blob store: .*S3 answered 503 /,
        );
      });
    } finally {
      await s3.remove();
    }
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

  it('reports it: web with a database of another schema', async () => {
    const path = `${dir.path}/other.sqlite`;
    const database = new Database(`${dir.path}/mayfly.sqlite`);
    await database.backup(path);
    database.close();
    const copy = new Database(path);
    copy.exec('update schema_versions set version = version - 1');
    copy.close();
    expect(await lastWords(ENTRIES.web, { DATABASE_URL: `sqlite:${path}` })).to.match(
      /^mayfly: the database has schema \d+, and this version .*: run npm run migrate\n$/,
    );
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
