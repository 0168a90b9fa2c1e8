/**
 * Whether mail that was accepted is still on its way to a mailbox. If any waits for its workspace,
 * the jobs tell whose it is. Requests that ask at the same time share one reading of the queues;
 * each reading begins after the request for it.
 */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { isMessageShown } from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';
import { asAppError } from '../errors.ts';
import { ingestJob, ingestJobs, mailsOf } from '../intake/ingest-job.ts';
import { isRedisUnavailable } from '../redis/client.ts';
import { shareRuns } from '../share-runs.ts';
import { withTimeout } from '../with-timeout.ts';

/** With more jobs the answer is not known. */
const MAX_JOBS = 200;
/** A response does not wait longer for a Redis that stalls. */
const MAX_READING_MS = 500;

const STATES = ['waiting', 'active', 'delayed', 'prioritized'] as const;

export interface QueuedMail {
  /**
   * Whether all mail for the mailbox that was accepted before this call is visible or gone. False
   * if this is not known, for example while Redis is unavailable. Never rejects.
   */
  isSettled: (mailbox: Pick<MailboxRow, 'id' | 'workspaceId'>) => Promise<boolean>;
}

export function openQueuedMail(
  context: Pick<Context, 'queues' | 'redis' | 'mailSpool' | 'store' | 'now' | 'log'>,
): QueuedMail {
  const read = shareRuns(() => readJobs(context));

  const check = async ({ id: mailboxId, workspaceId }: Pick<MailboxRow, 'id' | 'workspaceId'>) => {
    if (context.redis.status !== 'ready') return false;
    // The mailbox stands for its workspace while its directory entry is of an older version.
    const load = await context.mailSpool.largestLoad({ [workspaceId]: 0, [mailboxId]: 0 });
    if (load === 0) return true;
    const jobs = await read();
    if (!jobs) return false;
    const now = new Date(context.now());
    for (const id of messagesFor(mailboxId, jobs)) {
      const shown = await context.store.execute(isMessageShown, { mailboxId, id, now });
      if (shown.length === 0) return false;
    }
    return true;
  };

  const isSettled: QueuedMail['isSettled'] = (mailbox) => {
    const checkOrLog = () =>
      check(mailbox).catch((error: unknown) => {
        const isAway = isRedisUnavailable(error) || asAppError(error)?.code === 'unavailable';
        if (!isAway) context.log.error('accepted mail cannot be read', { error });
        return false;
      });
    return withTimeout(MAX_READING_MS, checkOrLog).catch(() => false); // the time limit
  };

  return { isSettled };
}

/** The payloads of the queued ingest jobs; null if there are too many. */
async function readJobs({
  queues,
  redis,
}: Pick<Context, 'queues' | 'redis'>): Promise<string[] | null> {
  const reading = redis.pipeline();
  for (const job of ingestJobs) {
    const queue = await queues.open(job);
    const ids = new Set(await queue.getRanges([...STATES], 0, MAX_JOBS));
    for (const id of ids) reading.hget(queue.toKey(id), 'data');
  }
  if (reading.length > MAX_JOBS) return null;
  const replies = (await reading.exec()) ?? [];
  return replies.map(([error, data]) => {
    if (error) throw error;
    return typeof data === 'string' ? data : ''; // a job that is done has no data
  });
}

function messagesFor(mailboxId: string, jobs: string[]): string[] {
  return jobs
    .filter((data) => data.includes(mailboxId))
    .flatMap((data) => mailsOf(ingestJob.payload.parse(JSON.parse(data))))
    .flatMap(({ messages }) => messages)
    .filter((message) => message.mailboxId === mailboxId)
    .map(({ id }) => id);
}
