import { z } from 'zod';
import { purgeDeletedMailboxes, purgeExpired } from '../core/purge.js';
import { ENDLESS, cappedBackoff, defineJob } from './job.js';

/** Removes what has expired. Nobody sees it any more by then; this frees the space. */
export const expireMessages = defineJob({
  name: 'expire-messages',
  payload: z.object({}),
  options: { backoff: { type: 'capped' }, removeOnComplete: true, removeOnFail: 100 },
  worker: {
    concurrency: () => 1,
    lockDuration: 30_000,
    stalledInterval: 10_000,
    maxStalledCount: ENDLESS,
  },
  backoff: cappedBackoff(60_000),
  every: 30_000,
  async run(context) {
    const count = await purgeExpired(context);
    if (count > 0) context.log.info('expired mails removed', { count });
    await purgeDeletedMailboxes(context);
  },
});
