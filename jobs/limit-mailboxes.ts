import { defineScheduledJob } from '../core/queue/job.ts';
import { limitMailboxes as removeMessages } from '../core/retention/limit-mailboxes.ts';
import { limitMailboxesJob } from '../core/retention/schedule.ts';

/** Removes messages above the limits of their mailboxes. */
export const limitMailboxes = defineScheduledJob(limitMailboxesJob, async (context) => {
  const count = await removeMessages(context);
  if (count > 0) context.log.info('messages above the limits of mailboxes removed', { count });
});
