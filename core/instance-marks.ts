/**
 * The marks by which Redis and blob store tell whose they are: the id of the instance that the database belongs to.
 * They keep a process from working on the state of another service: mail of one in the queue of the other would be for
 * mailboxes that do not exist. What has no mark, as a Redis that was flushed, or is new, is marked again.
 */
import { type BlobStore, readBlob } from './blobs.js';
import { AppError, errorText } from './errors.js';
import type { Logger } from './log.js';
import type { RedisClient } from './redis.js';
import { within } from './deadline.js';

const BLOB_KEY = 'instance';
const BLOBS_WITHIN_MS = 3000;

const SENTENCE = 'belongs to another instance than';

/** The state that an instance keeps beside its database. */
export interface InstanceParts {
  redis: RedisClient;
  redisPrefix: string;
  blobs: BlobStore;
}

/**
 * Marks Redis and blob store as this instance's. A blob store that is away is not asked: mail waits for it later.
 * @throws {AppError} `unavailable` when one of them is another's; then nothing is marked.
 */
export async function joinInstance(
  instanceId: string,
  parts: InstanceParts,
  log: Logger,
): Promise<void> {
  const [inRedis, inBlobs] = await Promise.all([markInRedis(parts), markInBlobs(parts, log)]);
  if (inRedis !== null && inRedis !== instanceId) throw strange('Redis', parts);
  if (inBlobs !== null && inBlobs !== 'away' && inBlobs !== instanceId) {
    throw strange('the blob store', parts);
  }
  if (!(await markRedis(instanceId, parts))) throw strange('Redis', parts);
  if (inBlobs === null) await markBlobs(instanceId, parts.blobs, log);
}

/**
 * The same for a process that knows no database, and so marks nothing.
 * @throws {AppError} `unavailable` when Redis and blob store are of different instances.
 */
export async function checkSameInstance(parts: InstanceParts, log: Logger): Promise<void> {
  const [inRedis, inBlobs] = await Promise.all([markInRedis(parts), markInBlobs(parts, log)]);
  if (inRedis === null || inBlobs === null || inBlobs === 'away' || inRedis === inBlobs) return;
  throw new AppError(
    'unavailable',
    `the blob store ${SENTENCE} Redis: are S3_BUCKET or DATA_DIR, REDIS_URL and REDIS_PREFIX right?`,
  );
}

/** Marks a Redis without a mark; false when it has the mark of another instance. */
export async function markRedis(
  instanceId: string,
  { redis, redisPrefix }: Pick<InstanceParts, 'redis' | 'redisPrefix'>,
): Promise<boolean> {
  const key = instanceKey(redisPrefix);
  return (await redis.set(key, instanceId, 'NX')) === 'OK' || (await redis.get(key)) === instanceId;
}

/** Marks a blob store for an instance. @throws {AppError} `unavailable` when it is another's. */
export async function claimBlobs(instanceId: string, blobs: BlobStore): Promise<void> {
  const mark = (await readBlob(blobs, BLOB_KEY))?.toString();
  if (mark === undefined) await blobs.put(BLOB_KEY, Buffer.from(instanceId));
  else if (mark !== instanceId) {
    throw new AppError('unavailable', 'the new blob store belongs to another instance');
  }
}

/** The key of the mark, which every instance's Redis has. */
export const instanceKey = (redisPrefix: string) => `${redisPrefix}:instance`;

function markInRedis({ redis, redisPrefix }: InstanceParts): Promise<string | null> {
  return redis.get(instanceKey(redisPrefix));
}

async function markInBlobs({ blobs }: InstanceParts, log: Logger): Promise<string | null> {
  try {
    const mark = await within(
      BLOBS_WITHIN_MS,
      () => readBlob(blobs, BLOB_KEY),
      `no answer within ${BLOBS_WITHIN_MS} ms`,
    );
    return mark?.toString() ?? null;
  } catch (error) {
    log.warn('not known whose the blob store is', { fault: errorText(error) });
    return 'away';
  }
}

async function markBlobs(instanceId: string, blobs: BlobStore, log: Logger): Promise<void> {
  try {
    await blobs.put(BLOB_KEY, Buffer.from(instanceId));
  } catch (error) {
    log.warn('blob store not marked as of this instance', { fault: errorText(error) });
  }
}

function strange(part: 'Redis' | 'the blob store', { redisPrefix }: InstanceParts): AppError {
  const questions =
    part === 'Redis'
      ? `are DATABASE_URL, REDIS_URL and REDIS_PREFIX right? A new database needs a Redis, or a prefix, of its own. Its mark is the key ${instanceKey(redisPrefix)}`
      : `are DATABASE_URL and S3_BUCKET or DATA_DIR right? Its mark is the object "${BLOB_KEY}"`;
  return new AppError('unavailable', `${part} ${SENTENCE} the database: ${questions}`);
}
