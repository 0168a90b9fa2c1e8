/** The faults that the product has to bear, in the order of their numbers. */
import { diskGroup } from './disk.js';
import type { FaultGroup } from './harness/fault.js';
import { processGroup } from './processes.js';
import { redisGroup } from './redis.js';
import { smtpGroup } from './smtp.js';
import { workerGroup } from './worker.js';

export const allGroups: FaultGroup[] = [
  smtpGroup,
  workerGroup,
  processGroup,
  redisGroup,
  diskGroup,
];
