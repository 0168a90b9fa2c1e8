/** What follows the end of mailboxes: events, the recipient directory, and the purge. */
import * as z from 'zod';
import type { EndedMailbox } from '../../db/statements/mailboxes.ts';
import { mailboxAddress } from '../addresses.ts';
import type { Context } from '../context.ts';
import { errorText } from '../errors.ts';
import { eventOf } from '../events/event.ts';
import type { JobContract } from '../queue/job-contract.ts';

/** Removes the messages of a deleted mailbox. */
export const purgeMailboxJob: JobContract<{ mailboxId: string }> = {
  name: 'purge-mailbox',
  payload: z.object({ mailboxId: z.string() }),
  options: { attempts: 20, backoff: { type: 'capped' }, removeOnComplete: true, removeOnFail: 100 },
};

/**
 * Called after the commit that marked the mailboxes deleted. Reports the deletion, removes the
 * addresses and queues the purge. Failures are logged: the reconciliation of Redis and the expiry
 * job complete the clean-up.
 */
export async function cleanUpDeleted(
  context: Pick<Context, 'directory' | 'events' | 'log' | 'now' | 'queues'>,
  ended: EndedMailbox[],
  domainOf: (workspaceId: string) => string | undefined,
): Promise<void> {
  const now = context.now();
  for (const mailbox of ended) {
    context.events.publisher.publish(mailbox.workspaceId, eventOf('mailbox.deleted', mailbox));
  }
  const removals = ended.flatMap(({ id, name, workspaceId, expiresAt }) => {
    const domain = domainOf(workspaceId);
    if (domain === undefined) return [];
    const expiredAt = expiresAt !== null && expiresAt.getTime() <= now ? expiresAt.getTime() : null;
    return context.directory.remove(
      { address: mailboxAddress(name, domain), mailboxId: id },
      expiredAt,
    );
  });
  const purges = context.queues.enqueueAll(
    purgeMailboxJob,
    ended.map(({ id }) => ({ payload: { mailboxId: id }, jobId: id, priority: 0, delayMs: 0 })),
  );
  for (const result of await Promise.allSettled([...removals, purges])) {
    if (result.status === 'fulfilled') continue;
    context.log.warn('clean-up of deleted mailboxes failed, the sweep repeats it later', {
      mailboxes: ended.length,
      mailboxId: ended[0]?.id,
      fault: errorText(result.reason),
    });
    return;
  }
}
