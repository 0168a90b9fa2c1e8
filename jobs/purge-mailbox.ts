import { z } from 'zod';
import { purgeDeletedMailbox } from '../core/purge.js';
import { UNHURRIED, cappedBackoff, defineJob } from './job.js';

/** Removes the messages of a mailbox that has been deleted. */
export const purgeMailbox = defineJob({
  name: 'purge-mailbox',
  payload: z.object({ mailboxId: z.string() }),
  options: { attempts: 20, backoff: { type: 'capped' }, removeOnComplete: true, removeOnFail: 100 },
  worker: {
    concurrency: () => 1,
    ...UNHURRIED,
  },
  backoff: cappedBackoff(60_000),
  run: (context, { mailboxId }) => purgeDeletedMailbox(context, mailboxId),
});
