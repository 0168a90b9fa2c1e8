import { defineScheduledJob } from '../core/queue/job.js';
import { limitMailboxes as removeMessages } from '../core/retention/limit-mailboxes.js';
import { limitMailboxesJob } from '../core/retention/schedule.js';

/** Removes messages above the limits of their mailboxes. */
export const limitMailboxes = defineScheduledJob(limitMailboxesJob, async (context) => {
  const count = await removeMessages(context);
  if (count > 0) context.log.info('messages above the limits of mailboxes removed', { count });
});
