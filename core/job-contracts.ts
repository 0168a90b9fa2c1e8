/** The contracts of all jobs. Each job has its own queue. */
import { deleteBlobsJob } from './blobs/delete-job.js';
import { deliveryJob } from './delivery/delivery-job.js';
import { recoveryJob } from './delivery/recovery-job.js';
import { ingestJob } from './ingest/ingest-job.js';
import { purgeMailboxJob } from './mailboxes/purge-job.js';
import type { JobContract } from './queue/job-contract.js';
import { schedule } from './retention/schedule.js';

/** A contract with an unknown payload type. */
export type AnyJobContract = Pick<JobContract<never>, 'name' | 'options'>;

export const jobContracts: readonly AnyJobContract[] = [
  ingestJob,
  deliveryJob,
  recoveryJob,
  purgeMailboxJob,
  deleteBlobsJob,
  ...schedule,
];
