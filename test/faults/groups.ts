/**
 * The faults that the product must survive. The slowest group is first, the others are in the order
 * of their numbers.
 */
import { authGroup } from './auth.js';
import { blobStoreGroup } from './blob-store.js';
import { clockGroup } from './clock.js';
import { diskGroup } from './disk.js';
import { openBench } from './harness/bench.js';
import type { FaultGroup } from './harness/fault.js';
import { manyGroup } from './many.js';
import { postgresGroup } from './postgres.js';
import { processGroup } from './processes.js';
import { receiverGroup } from './receivers.js';
import { redisGroup } from './redis.js';
import { smtpGroup } from './smtp.js';
import { stoppingGroup } from './stopping.js';
import { waitGroup } from './waits.js';
import { workerGroup } from './worker.js';

export const allGroups: FaultGroup[] = [
  manyGroup,
  smtpGroup,
  workerGroup,
  processGroup,
  redisGroup,
  diskGroup,
  postgresGroup,
  blobStoreGroup,
  clockGroup,
  receiverGroup,
  stoppingGroup,
  authGroup,
  waitGroup,
];

/** One fault of each process, on one product. */
export const smokeGroup: FaultGroup = {
  title: 'a crash of each process',
  openBench,
  faults: allGroups.flatMap((group) => group.faults).filter(({ smoke }) => smoke),
};
