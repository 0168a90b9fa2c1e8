/**
 * Ownership of Redis and the blob store: each contains the instance id of its database. A process
 * refuses to use the state of another instance, because its queue contains mail for mailboxes that
 * do not exist here. A Redis or blob store without an id, new or flushed, is claimed.
 */
import { type BlobStore, BlobStoreFault, readBlob } from '../blobs/blob-store.ts';
import { AppError, errorText } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { RedisClient } from '../redis/client.ts';
import { withTimeout } from '../with-timeout.ts';

const BLOB_KEY = 'instance';
const BLOB_STORE_TIMEOUT_MS = 3000;

/** The state of an instance outside its database. */
export interface InstanceStores {
  redis: RedisClient;
  redisPrefix: string;
  blobs: BlobStore;
}

/**
 * Claims Redis and the blob store for this instance. A blob store that does not respond is left
 * unclaimed.
 * @throws {AppError} `unavailable` if one of them belongs to another instance; then neither is
 *   claimed. Also if the blob store refuses reads or writes until settings are changed.
 */
export async function acquireOwnership(
  instanceId: string,
  stores: InstanceStores,
  log: Logger,
): Promise<void> {
  const [inRedis, inBlobs] = await Promise.all([ownerOfRedis(stores), ownerOfBlobs(stores, log)]);
  if (inRedis !== null && inRedis !== instanceId) throw wrongInstance('Redis', stores);
  if (inBlobs !== null && inBlobs !== 'away' && inBlobs !== instanceId) {
    throw wrongInstance('the blob store', stores);
  }
  if (!(await acquireRedisOwnership(instanceId, stores))) throw wrongInstance('Redis', stores);
  if (inBlobs === null) await markBlobStore(instanceId, stores.blobs, log);
}

/**
 * Checks Redis and blob store in a process without a database. Claims nothing.
 * @throws {AppError} `unavailable` if Redis and the blob store belong to different instances.
 */
export async function checkSameInstance(stores: InstanceStores, log: Logger): Promise<void> {
  const [inRedis, inBlobs] = await Promise.all([ownerOfRedis(stores), ownerOfBlobs(stores, log)]);
  if (inRedis === null || inBlobs === null || inBlobs === 'away' || inRedis === inBlobs) return;
  throw new AppError(
    'unavailable',
    'Redis and the blob store belong to different Mayfly instances. Check REDIS_URL, REDIS_PREFIX, and S3_BUCKET or DATA_DIR.',
  );
}

/** Claims an unclaimed Redis. Resolves to false if it belongs to another instance. */
export async function acquireRedisOwnership(
  instanceId: string,
  { redis, redisPrefix }: Pick<InstanceStores, 'redis' | 'redisPrefix'>,
): Promise<boolean> {
  const key = instanceKey(redisPrefix);
  return (await redis.set(key, instanceId, 'NX')) === 'OK' || (await redis.get(key)) === instanceId;
}

/** Claims a blob store. @throws {AppError} `unavailable` if it belongs to another instance. */
export async function acquireBlobStoreOwnership(
  instanceId: string,
  blobs: BlobStore,
): Promise<void> {
  const mark = (await readBlob(blobs, BLOB_KEY))?.toString();
  if (mark === undefined) await blobs.put(BLOB_KEY, Buffer.from(instanceId));
  else if (mark !== instanceId) {
    throw new AppError('unavailable', 'the new blob store belongs to another instance');
  }
}

/** The Redis key with the instance id. */
export const instanceKey = (redisPrefix: string) => `${redisPrefix}:instance`;

function ownerOfRedis({ redis, redisPrefix }: InstanceStores): Promise<string | null> {
  return redis.get(instanceKey(redisPrefix));
}

async function ownerOfBlobs({ blobs }: InstanceStores, log: Logger): Promise<string | null> {
  try {
    const mark = await withTimeout(
      BLOB_STORE_TIMEOUT_MS,
      () => readBlob(blobs, BLOB_KEY),
      `no response within ${BLOB_STORE_TIMEOUT_MS} ms`,
    );
    return mark?.toString() ?? null;
  } catch (error) {
    refuseIfPermanent(error);
    log.warn('instance id of the blob store not read', { fault: errorText(error) });
    return 'away';
  }
}

async function markBlobStore(instanceId: string, blobs: BlobStore, log: Logger): Promise<void> {
  try {
    await blobs.put(BLOB_KEY, Buffer.from(instanceId));
  } catch (error) {
    refuseIfPermanent(error);
    log.warn('instance id not written to the blob store', { fault: errorText(error) });
  }
}

/** @throws {AppError} `unavailable` if the blob store fails until settings are changed. */
function refuseIfPermanent(error: unknown): void {
  const fault = error instanceof AppError ? error.cause : null;
  if (!(fault instanceof BlobStoreFault && fault.isPermanent)) return;
  const text = `The blob store cannot be used: ${errorText(fault)}`;
  throw new AppError('unavailable', text, { cause: error });
}

function wrongInstance(
  part: 'Redis' | 'the blob store',
  { redisPrefix }: InstanceStores,
): AppError {
  const advice =
    part === 'Redis'
      ? `Check DATABASE_URL, REDIS_URL and REDIS_PREFIX. A new database requires an empty Redis, or another REDIS_PREFIX. The key ${instanceKey(redisPrefix)} holds the instance of Redis.`
      : `Check DATABASE_URL, and S3_BUCKET or DATA_DIR. The object "${BLOB_KEY}" holds the instance of the blob store.`;
  const text = `The database and ${part} belong to different Mayfly instances. ${advice}`;
  return new AppError('unavailable', text);
}
