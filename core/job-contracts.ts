/** Every job of the service: each has a queue of its own. */
import { deleteBlobsJob } from './blobs/delete-job.js';
import { deliveryJob } from './delivery/delivery-job.js';
import { recoveryJob } from './delivery/recovery-job.js';
import { ingestJob } from './ingest/ingest-job.js';
import { purgeMailboxJob } from './mailboxes/purge-job.js';
import type { JobContract } from './queue/job-contract.js';
import { schedule } from './retention/schedule.js';

/** A contract whose payload its holder neither reads nor writes. */
export type AnyJobContract = Pick<JobContract<never>, 'name' | 'options'>;

export const jobContracts: readonly AnyJobContract[] = [
  ingestJob,
  deliveryJob,
  recoveryJob,
  purgeMailboxJob,
  deleteBlobsJob,
  ...schedule,
];
