/** Preconditions of a move. */
import type { Config } from '../../core/config/config.ts';
import { AppError } from '../../core/errors.ts';
import type { Keyring } from '../../core/secrets/keyring.ts';
import type { Logger } from '../../core/log.ts';
import { closeRedis, openRedis } from '../../core/redis/client.ts';
import { assignInstance, instanceOf, setInstanceState } from '../../db/statements/instance.ts';
import type { Store } from '../../db/store.ts';
import { anyWorkspace } from '../../db/statements/workspaces.ts';
import { ingestJob } from '../../core/intake/ingest-job.ts';
import { openQueues } from '../../core/queue/queues.ts';

/**
 * Tokens and sealed secrets cannot be read under other keys. @throws {AppError} `invalid_request`.
 */
export function requireSameKeys(from: Keyring | null, to: Keyring | null): void {
  const isKept = (id: string, secret: Buffer) =>
    to?.some((key) => key.id === id && key.secret.equals(secret));
  const lost = (from ?? []).filter(({ id, secret }) => !isKept(id, secret)).map(({ id }) => id);
  if (lost.length === 0) return;
  throw new AppError(
    'invalid_request',
    `ENCRYPTION_KEYS of the new location lacks ${lost.join(', ')}: tokens and webhook secrets would be lost. ` +
      'Outside production the keys are in DATA_DIR/encryption-keys',
  );
}

/** A running worker would keep writing to the source. @throws {AppError} `unavailable`. */
export async function requireNoWorker(config: Config, log: Logger): Promise<void> {
  const redis = await openRedis(config, log).catch(() => null);
  if (!redis) return; // no worker runs without Redis
  const queues = openQueues(redis, config.redisPrefix, log);
  try {
    const queue = await queues.open(ingestJob);
    const workers = await queue.getWorkersCount();
    if (workers > 0) {
      throw new AppError(
        'unavailable',
        `${workers} worker processes are running: stop web and worker first`,
      );
    }
  } finally {
    await queues.close();
    await closeRedis(redis);
  }
}

/**
 * Claims the target for the instance of the source. No process starts on it before
 * {@link finishTarget}.
 * @throws {AppError} `unavailable` if it is in use or belongs to another instance.
 */
export async function reserveTarget(to: Store, instanceId: string): Promise<void> {
  const [known] = await to.query(instanceOf);
  if (known && known.instanceId !== instanceId) {
    throw new AppError('unavailable', 'the new database belongs to another instance');
  }
  if (known?.state === 'live' || (!known && (await to.query(anyWorkspace)).length > 0)) {
    throw new AppError(
      'unavailable',
      'the new database is already in use: copying would remove the rows it has stored',
    );
  }
  await to.query(assignInstance, instanceId, 'copying');
  await to.query(setInstanceState, 'copying');
}

/** Allows processes to start on the target. */
export async function finishTarget(to: Store): Promise<void> {
  await to.query(setInstanceState, 'copied');
}
