/**
 * Ingest of the mails of one job, of which there is one or several that were accepted together.
 * Each is parsed by itself in this process; all are stored in one group commit and acknowledged
 * with one command. Mail that cannot be handled this way leaves for a job of its own among the
 * heavy mail, under its ingest id and before this job ends.
 */
import { DatabaseUnavailable } from '../../db/errors.ts';
import type { Context } from '../context.ts';
import { errorText } from '../errors.ts';
import type { AcceptedMail } from '../intake/accepted-mail.ts';
import { heavyJob } from '../intake/ingest-job.ts';
import { PRIORITY_OF_OLD_MAIL, loadOf } from '../intake/load.ts';
import { type JobRun, RunLater } from '../queue/job.ts';
import { enqueueHeavy } from './heavy.ts';
import { recordStored, storeMail } from './store-mail.ts';

type Outcome = { kind: 'stored' } | { kind: 'leaves' } | { kind: 'unavailable'; error: unknown };

/**
 * Load of the mails that are parsed and stored at the same time, so that a job with less load waits
 * for a part of a second only, however many jobs of one workspace the worker has taken.
 */
export const LIGHT_LOAD_AT_ONCE = 1024 * 1024;

/**
 * The mails of a job with stalls leave it before any of them is parsed, so that the one at fault is
 * found without a further crash.
 * @throws {DatabaseUnavailable} if no mail could be stored because of it.
 * @throws {RunLater} with a priority if the job has none.
 * @throws {AppError} `unavailable` if raw bytes are missing where the job is, too.
 */
export async function ingestLight(
  context: Context,
  mails: AcceptedMail[],
  { stalls, priority, requireMaster }: Pick<JobRun, 'stalls' | 'priority' | 'requireMaster'>,
): Promise<void> {
  // An older version left the mails of a job with crashes in this queue.
  const crashes = mails.reduce((most, mail) => Math.max(most, stalls + (mail.stalls ?? 0)), stalls);
  if (crashes > 0) {
    await enqueueHeavy(
      context,
      heavyJob,
      mails.map((mail) => ({ ...mail, stalls: crashes })),
    );
    return;
  }
  if (priority === 0) throw new RunLater(0, PRIORITY_OF_OLD_MAIL);
  const load = mails.reduce((sum, mail) => sum + loadOf(mail), 0);
  const outcomes = await context.ingest.lightLimit.runExclusive(
    load,
    async () => {
      const raws = await context.mailSpool.getAll(mails.map(({ ingestId }) => ingestId));
      if (raws.includes(null)) await requireMaster?.();
      return Promise.all(mails.map((mail, n) => ingestOne(context, mail, raws[n] ?? null)));
    },
    { priority },
  );
  const failed = outcomes.filter((outcome) => outcome.kind === 'unavailable');
  if (failed[0] && failed.length === mails.length) throw failed[0].error;

  const stored = mails.filter((_, index) => outcomes[index]?.kind === 'stored');
  const leaving = mails.filter((_, index) => outcomes[index]?.kind !== 'stored');
  await Promise.all([
    stored.length > 0 && context.mailSpool.ack(stored),
    leaving.length > 0 && enqueueHeavy(context, heavyJob, leaving),
  ]);
  const idsOf = (some: AcceptedMail[]) => some.map(({ ingestId }) => ingestId);
  context.log.debug('mails ingested', { stored: idsOf(stored), left: idsOf(leaving) });
}

async function ingestOne(
  context: Context,
  accepted: AcceptedMail,
  raw: Buffer | null,
): Promise<Outcome> {
  if (!raw) return { kind: 'leaves' };
  try {
    const began = performance.now();
    const mail = await context.ingest.parsePool.parseInline(raw);
    if (!mail) return { kind: 'leaves' };
    context.metrics.mail.parseSeconds.observe((performance.now() - began) / 1000);
    const outcome = await storeMail(context, { accepted, mail, raw });
    recordStored(context, accepted, mail, outcome);
    return { kind: 'stored' };
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return { kind: 'unavailable', error };
    const { ingestId } = accepted;
    context.log.debug('mail is ingested as heavy', { ingestId, fault: errorText(error) });
    return { kind: 'leaves' };
  }
}
