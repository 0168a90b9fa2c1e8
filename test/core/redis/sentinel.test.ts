import { expect } from 'chai';
import { readConfig } from '../../../core/config/config.ts';
import { openLog } from '../../../core/log.ts';
import { openFrontContext } from '../../../core/open-front-context.ts';
import { deleteBlobs } from '../../../jobs/removal.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { startSentinelRedis } from '../../support/servers/redis-servers.ts';
import { makeTempDir } from '../../support/context/temp-dir.ts';

describe('Redis behind a sentinel', () => {
  it('continues with the replica after the loss of the master, with the data of both', async () => {
    const [dir, redis] = await Promise.all([makeTempDir(), startSentinelRedis()]);
    const env = { DATA_DIR: dir.path, REDIS_URL: redis.url, REDIS_MIN_REPLICAS: '1' };
    const config = readConfig({ ...env, LOG_LEVEL: 'error' }, 'smtp');
    const front = await openFrontContext(config, openLog(config));
    try {
      await front.directory.add({ address: 'box@one.test', mailboxId: 'mbx_1' });
      await front.queues.enqueue(deleteBlobs, { keys: [] }, 'before');
      await front.replication.reached();

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
    } finally {
      await front.close();
      await redis.stop();
      await dir.remove();
    }
  });
});
