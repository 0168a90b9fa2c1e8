/**
 * The faults that the product must survive. The slowest group is first, the others are in the order
 * of their numbers.
 */
import { authGroup } from './auth.ts';
import { blobStoreGroup, oddBlobStoreGroup } from './blob-store.ts';
import { clockGroup } from './clock.ts';
import { processGroup, smtpGroup, workerGroup } from './crashes.ts';
import { diskGroup } from './disk.ts';
import { failoverGroups } from './failovers.ts';
import type { FaultGroup } from './harness/fault.ts';
import { manyGroup } from './many.ts';
import { postgresGroup } from './postgres.ts';
import { receiverGroup } from './receivers.ts';
import { fullRedisGroup } from './full-redis.ts';
import { redisGroup } from './redis.ts';
import { stoppingGroup } from './stopping.ts';
import { waitGroup } from './waits.ts';

export const allGroups: FaultGroup[] = [
  manyGroup,
  smtpGroup,
  workerGroup,
  processGroup,
  redisGroup,
  fullRedisGroup,
  diskGroup,
  postgresGroup,
  blobStoreGroup,
  oddBlobStoreGroup,
  clockGroup,
  receiverGroup,
  stoppingGroup,
  authGroup,
  waitGroup,
  ...failoverGroups,
];
