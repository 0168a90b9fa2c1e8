import { purgeDeletedMailboxes, purgeExpired, releaseSpace } from '../core/retention/purge.ts';
import { expireMessagesJob } from '../core/retention/schedule.ts';
import { defineScheduledJob } from '../core/queue/job.ts';

/** Removes expired mail, which is already hidden, to free its space. */
export const expireMessages = defineScheduledJob(expireMessagesJob, async (context) => {
  const count = await purgeExpired(context);
  if (count > 0) context.log.info('expired mails removed', { count });
  await purgeDeletedMailboxes(context);
  await releaseSpace(context);
});
