import * as z from 'zod';
import type { JobContract } from '../queue/job-contract.ts';

/** Removes the messages of a deleted mailbox. */
export const purgeMailboxJob: JobContract<{ mailboxId: string }> = {
  name: 'purge-mailbox',
  payload: z.object({ mailboxId: z.string() }),
  options: { attempts: 20, backoff: { type: 'capped' }, removeOnComplete: true, removeOnFail: 100 },
};
