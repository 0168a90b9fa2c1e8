import { defineScheduledJob } from '../core/queue/job.ts';
import { endExpiredMailboxes } from '../core/retention/expire-mailboxes.ts';
import { expireMailboxesJob } from '../core/retention/schedule.ts';

/** Reports and purges expired mailboxes, which are already invisible. */
export const expireMailboxes = defineScheduledJob(expireMailboxesJob, async (context) => {
  const count = await endExpiredMailboxes(context);
  if (count > 0) context.log.info('expired mailboxes removed', { count });
});
