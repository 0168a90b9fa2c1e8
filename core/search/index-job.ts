import { scheduledJob } from '../queue/job-contract.ts';

/** Adds stored mails to the search index. */
export const indexJob = scheduledJob('index-mails', 2_000);
