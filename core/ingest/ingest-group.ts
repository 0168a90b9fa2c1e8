/**
 * Ingest of mails that share a job. Each is parsed by itself in this process; all are stored in one
 * group commit and acknowledged with one command. Mail that cannot be handled this way leaves the
 * group: it gets a job of its own under its ingest id, before the job of the group ends, and is
 * handled there like mail that was accepted alone.
 */
import { DatabaseUnavailable } from '../../db/errors.ts';
import type { Context } from '../context.ts';
import { errorText } from '../errors.ts';
import type { AcceptedMail } from '../intake/accepted-mail.ts';
import { ingestJob } from '../intake/ingest-job.ts';
import { storeMail } from './store-mail.ts';
import { recordStored } from './ingest-steps.ts';

type Outcome = { kind: 'stored' } | { kind: 'leaves' } | { kind: 'unavailable'; error: unknown };

/**
 * @param stalls number of workers that died with the group. Its mails leave it before any of them
 *   is parsed, so that the one at fault is found without a further crash.
 * @throws {DatabaseUnavailable} if no mail could be stored because of it.
 */
export async function ingestGroup(
  context: Context,
  mails: AcceptedMail[],
  stalls: number,
): Promise<void> {
  if (stalls > 0) {
    await leave(
      context,
      mails.map((mail) => ({ ...mail, stalls: 1 })),
    );
    return;
  }
  const raws = await context.mailSpool.getAll(mails.map(({ ingestId }) => ingestId));
  const outcomes = await Promise.all(
    mails.map((mail, index) => ingestMember(context, mail, raws[index] ?? null)),
  );
  const failed = outcomes.filter((outcome) => outcome.kind === 'unavailable');
  if (failed[0] && failed.length === mails.length) throw failed[0].error;

  const isStored = (_: unknown, index: number) => outcomes[index]?.kind === 'stored';
  const stored = mails.filter(isStored).map(({ ingestId }) => ingestId);
  const leaving = mails.filter((_, index) => !isStored(_, index));
  await Promise.all([
    // oxlint-disable-next-line mayfly/bounded-arguments -- a job has few mails
    stored.length > 0 && context.mailSpool.ack(...stored),
    leaving.length > 0 && leave(context, leaving),
  ]);
  context.log.debug('group ingested', { stored, left: leaving.map(({ ingestId }) => ingestId) });
}

async function ingestMember(
  context: Context,
  accepted: AcceptedMail,
  raw: Buffer | null,
): Promise<Outcome> {
  const { heavyMailQueue, parsePool } = context.ingest;
  const { ingestId } = accepted;
  if (!raw || heavyMailQueue.requeued(ingestId) !== undefined) return { kind: 'leaves' };
  try {
    const began = performance.now();
    const mail = await parsePool.parseInline(raw);
    if (!mail) return { kind: 'leaves' };
    context.metrics.mail.parseSeconds.observe((performance.now() - began) / 1000);
    const outcome = await storeMail(context, { accepted, mail, raw });
    recordStored(context, accepted, mail, outcome);
    return { kind: 'stored' };
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return { kind: 'unavailable', error };
    context.log.debug('mail leaves its group', { ingestId, fault: errorText(error) });
    return { kind: 'leaves' };
  }
}

/** An existing job with the same id stays: the mail has left the group in an earlier run. */
function leave({ queues }: Pick<Context, 'queues'>, mails: AcceptedMail[]): Promise<void> {
  return queues.enqueueAll(
    ingestJob,
    mails.map((mail) => ({ payload: mail, jobId: mail.ingestId, priority: 0, delayMs: 0 })),
  );
}
