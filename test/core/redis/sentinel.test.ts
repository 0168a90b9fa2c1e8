import { expect } from 'chai';
import { readConfig } from '../../../core/config/config.ts';
import { openLog } from '../../../core/log.ts';
import type { FrontContext } from '../../../core/context.ts';
import { openFrontContext } from '../../../core/open-front-context.ts';
import { deleteBlobs } from '../../../jobs/removal.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { startSentinelRedis } from '../../support/servers/redis-servers.ts';
import { makeTempDir } from '../../support/context/temp-dir.ts';

describe('Redis behind a sentinel', () => {
  const withSentinel = async (
    use: (front: FrontContext, redis: Awaited<ReturnType<typeof startSentinelRedis>>) => unknown,
  ) => {
    const [dir, redis] = await Promise.all([makeTempDir(), startSentinelRedis()]);
    const env = { DATA_DIR: dir.path, REDIS_URL: redis.url, REDIS_MIN_REPLICAS: '1' };
    const config = readConfig({ ...env, LOG_LEVEL: 'error' }, 'smtp');
    const front = await openFrontContext(config, openLog(config));
    try {
      await use(front, redis);
    } finally {
      await front.close();
      await redis.stop();
      await dir.remove();
    }
  };

  it('continues with the replica after the loss of the master, with the data of both', () =>
    withSentinel(async (front, redis) => {
      await front.directory.add({ address: 'box@one.test', mailboxId: 'mbx_1' });
      await front.queues.enqueue(deleteBlobs, { keys: [] }, 'before');
      // A loaded machine can need longer than REDIS_MIN_REPLICAS allows.
      await eventually('the replica', () =>
        front.replication.reached().then(
          () => true,
          () => false,
        ),
      );

      await redis.servers[0]!.kill();
      await eventually(
        'the new master',
        () =>
          front.queues.enqueue(deleteBlobs, { keys: [] }, 'after').then(
            () => true,
            () => false,
          ),
        60_000,
        50,
      );
      expect(await front.queues.has(deleteBlobs, 'before')).to.equal(true);
      expect(await redis.servers[1]!.client.role()).to.include('master');
      // The connection of WAIT can reach the new master later than that of the queues.
      await eventually('the lost replica to be reported', async () => {
        const alone = await front.replication.reached().catch((error: unknown) => error);
        return String(alone).includes('0 of 1 Redis replicas');
      });
    }));

  it('continues with the promoted replica while the former master is reachable', () =>
    withSentinel(async ({ queues }, { servers: [master], sentinel }) => {
      await master!.client.call('CLIENT', 'PAUSE', 60_000, 'WRITE');
      const promote = () => sentinel.call('SENTINEL', 'FAILOVER', 'mayfly').catch(() => null);
      await eventually('a replica that can be promoted', async () => (await promote()) === 'OK');
      const hasSwitched = async () => {
        const [, , port] = (await sentinel.call('SENTINEL', 'MASTER', 'mayfly')) as string[];
        return master!.port !== Number(port) && !(await queues.has(deleteBlobs, 'x'));
      };
      await eventually('another master', hasSwitched, 20_000);
      await queues.enqueue(deleteBlobs, { keys: [] }, 'after');
      expect(await master!.client.role()).to.include('master');
    }));
});
