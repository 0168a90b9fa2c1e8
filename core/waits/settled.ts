/**
 * Whether mail that was accepted is still on its way to a mailbox, or to the mailboxes of a caller.
 * If any waits for its workspace, the jobs tell whose it is. Requests that ask at the same time
 * share one reading of the queues; each reading begins after the request for it.
 */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { shownAmong } from '../../db/statements/search.ts';
import { usableMailboxes } from '../../db/statements/workspace-messages.ts';
import type { Caller } from '../auth/caller.ts';
import { reachOf } from '../auth/reach.ts';
import type { Context } from '../context.ts';
import { asAppError } from '../errors.ts';
import type { MessageToStore } from '../intake/accepted-mail.ts';
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
   * The ids of the messages that were accepted before this call, and are neither visible nor gone.
   * Null if this is not known, for example while Redis is unavailable. Never rejects.
   * @param mailbox null for all mailboxes that the caller can use
   * @param among the result of an earlier call: mail accepted after that call does not count
   */
  unsettled: (
    caller: Caller,
    mailbox: Pick<MailboxRow, 'id'> | null,
    among?: ReadonlySet<string>,
  ) => Promise<ReadonlySet<string> | null>;
}

export function openQueuedMail(
  context: Pick<Context, 'queues' | 'redis' | 'mailSpool' | 'store' | 'now' | 'log'>,
): QueuedMail {
  const read = shareRuns(() => readJobs(context));

  const check: QueuedMail['unsettled'] = async (caller, mailbox, among) => {
    if (context.redis.status !== 'ready') return null;
    const { id: workspaceId } = caller.workspace;
    // The mailbox stands for its workspace while its directory entry is of an older version.
    const places = [workspaceId, ...(mailbox ? [mailbox.id] : [])];
    const load = await context.mailSpool.largestLoad(
      Object.fromEntries(places.map((id) => [id, 0])),
    );
    if (load === 0) return new Set();
    const jobs = await read();
    if (!jobs) return null;
    const queued = messagesIn(jobs, mailbox?.id ?? '').filter(
      ({ id, mailboxId }) =>
        (!mailbox || mailboxId === mailbox.id) && (among === undefined || among.has(id)),
    );
    if (queued.length === 0) return new Set();
    const reach = reachOf(context, caller);
    const mailboxIds = [...new Set(queued.map(({ mailboxId }) => mailboxId))];
    const usable = await context.store.query(usableMailboxes, reach, mailboxIds);
    const own = new Set(usable.flatMap((one) => (one.workspaceId === workspaceId ? one.id : [])));
    const ids = queued.flatMap(({ id, mailboxId }) => (own.has(mailboxId) ? id : []));
    const shown = await context.store.query(shownAmong, reach, ids);
    const left = new Set(ids);
    for (const { id } of shown) left.delete(id);
    return left;
  };

  const unsettled: QueuedMail['unsettled'] = (...asked) => {
    const checkOrLog = () =>
      check(...asked).catch((error: unknown) => {
        const isAway = isRedisUnavailable(error) || asAppError(error)?.code === 'unavailable';
        if (!isAway) context.log.error('accepted mail cannot be read', { error });
        return null;
      });
    return withTimeout(MAX_READING_MS, checkOrLog).catch(() => null); // the time limit
  };

  return { unsettled };
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

/** The messages of the jobs whose payload contains the text. */
function messagesIn(jobs: string[], text: string): MessageToStore[] {
  return jobs
    .filter((data) => data !== '' && data.includes(text))
    .flatMap((data) => mailsOf(ingestJob.payload.parse(JSON.parse(data))))
    .flatMap(({ messages }) => messages);
}
