import { purgeDeletedMailboxes, purgeExpired, releaseSpace } from '../core/purge.js';
import { defineScheduledJob } from './job.js';

/** Removes what has expired. Nobody sees it any more by then; this frees the space. */
export const expireMessages = defineScheduledJob({
  name: 'expire-messages',
  every: 30_000,
  async run(context) {
    const count = await purgeExpired(context);
    if (count > 0) context.log.info('expired mails removed', { count });
    await purgeDeletedMailboxes(context);
    await releaseSpace(context);
  },
});
