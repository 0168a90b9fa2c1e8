/** The contracts of all jobs. Each job has its own queue. */
import { deleteBlobsJob } from './blobs/discard.ts';
import { deliveryJob, recoveryJob } from './delivery/jobs.ts';
import { ingestJobs } from './intake/ingest-job.ts';
import { purgeMailboxJob } from './mailboxes/clean-up-deleted.ts';
import type { JobContract } from './queue/job-contract.ts';
import { schedule } from './retention/schedule.ts';

/** A contract with an unknown payload type. */
export type AnyJobContract = Pick<JobContract<never>, 'name' | 'options'>;

export const jobContracts: readonly AnyJobContract[] = [
  ...ingestJobs,
  deliveryJob,
  recoveryJob,
  purgeMailboxJob,
  deleteBlobsJob,
  ...Object.values(schedule),
];
