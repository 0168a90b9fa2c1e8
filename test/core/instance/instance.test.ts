import { expect } from 'chai';
import { type Config, readConfig } from '../../../core/config/config.ts';
import { openContext } from '../../../core/open-context.ts';
import { openFrontContext } from '../../../core/open-front-context.ts';
import { openLog } from '../../../core/log.ts';
import { ROOT } from '../../../core/root.ts';
import { migrateStore } from '../../../db/open.ts';
import { startReconciliation } from '../../../jobs/reconcile-redis.ts';
import { service } from '../../support/service.ts';
import { rejection } from '../../support/mocha/rejection.ts';
import { tempDir } from '../../support/context/temp-dir.ts';

describe('the instance', () => {
  const ours = service();
  const dir = tempDir('each');

  const key = '{mayfly}:instance';
  const open = async (config: Config) => {
    await (await openContext(config, openLog(config))).close();
  };
  /** The configuration with the database of another instance. */
  const otherDatabase = async () => {
    const config = readConfig(
      { ...ours.env, DATABASE_URL: `sqlite:${dir.path}/other.sqlite` },
      'web',
    );
    await migrateStore(config, ROOT);
    return config;
  };

  it('is the same in database, Redis and blob store, however many processes start at once', async () => {
    const { context } = ours;
    await context.redis.del(key);
    await context.blobs.delete('instance');
    const all = await Promise.all([ours.another(), ours.another(), ours.another()]);
    expect(new Set(all.map(({ instanceId }) => instanceId))).to.deep.equal(
      new Set([context.instanceId]),
    );
    expect(await context.redis.get(key)).to.equal(context.instanceId);
  });

  it('rejects a new database on the Redis of another instance, and leaves that unchanged', async () => {
    const message = String(await rejection(open(await otherDatabase())));
    expect(message).to.include('The database and Redis belong to different Mayfly instances');
    expect(await ours.context.redis.get(key)).to.equal(ours.context.instanceId);
  });

  it('rejects the blob store of another instance', async () => {
    const config = await otherDatabase();
    const message = String(await rejection(open({ ...config, redisPrefix: '{other}' })));
    expect(message).to.include(
      'The database and the blob store belong to different Mayfly instances',
    );
    expect(await ours.context.redis.exists('{other}:instance')).to.equal(0);
  });

  it('is checked by a process without a database', async () => {
    const config = readConfig(ours.env, 'smtp');
    await (await openFrontContext(config, openLog(config))).close();
    await ours.context.redis.set(key, 'ins_other');
    const message = String(await rejection(openFrontContext(config, openLog(config))));
    expect(message).to.include('Redis and the blob store belong to different Mayfly instances');
  });

  it('claims a flushed Redis again, at startup and at runtime', async () => {
    const { context } = ours;
    await context.redis.flushall();
    await ours.another();
    expect(await context.redis.get(key)).to.equal(context.instanceId);
    await context.redis.flushall();
    await (await startReconciliation(context)).stop();
    expect(await context.redis.get(key)).to.equal(context.instanceId);
  });

  it('starts while the blob store is unavailable', async () => {
    const s3 = { S3_BUCKET: 'none', S3_ENDPOINT: 'http://127.0.0.1:9' };
    await open(readConfig({ ...ours.env, ...s3 }, 'web'));
  });
});
