/**
 * Heavy mail: large, slow to parse, refused by the database, or active when a worker crashed. It
 * leaves the queue of its acceptance for `ingest-heavy`, and what exceeds the short time there, or
 * has crashed two workers, for `ingest-slow`, of which a worker runs one job at a time. So a mail
 * that takes long, or kills its process, delays only mail of its own kind, and the next crash has
 * one suspect.
 */
import { DatabaseUnavailable } from '../../db/errors.ts';
import type { Context } from '../context.ts';
import { AppError, errorText } from '../errors.ts';
import type { HeavyMail } from '../intake/ingest-job.ts';
import { loadOf, priorityAt } from '../intake/load.ts';
import type { JobContract } from '../queue/job-contract.ts';
import type { JobRun } from '../queue/job.ts';
import { type Parse, type IngestResult, ingest, quarantine } from './ingest-steps.ts';

/** Two mails of half this size, or a larger one: each is in memory several times. */
export const HEAVY_BYTES_AT_ONCE = 32 * 1024 * 1024;

/** Adds the mails to a queue. A mail that is there already stays: a repeat is harmless. */
export async function enqueueHeavy(
  { queues, mailSpool }: Pick<Context, 'queues' | 'mailSpool'>,
  job: JobContract<HeavyMail>,
  mails: HeavyMail[],
): Promise<void> {
  const items = mails.map(async (mail) => {
    const load = Math.max(loadOf(mail), await mailSpool.largestLoad(mail.loads ?? {}));
    return { payload: mail, jobId: mail.ingestId, priority: priorityAt(load), delayMs: 0 };
  });
  await queues.enqueueAll(job, await Promise.all(items));
}

/**
 * A heavy mail during one run of its job. What the run learns of it is kept for later runs, in the
 * payload of the job.
 */
export interface HeavyRun extends Pick<JobRun, 'stalls' | 'requireMaster'> {
  mail: HeavyMail;
  saveProgress: (learned: Partial<HeavyMail>) => Promise<void>;
}

export function heavyRun(mail: HeavyMail, { stalls, update, requireMaster }: JobRun): HeavyRun {
  const run: HeavyRun = {
    mail,
    stalls,
    ...(requireMaster && { requireMaster }),
    saveProgress: async (learned) => {
      run.mail = { ...run.mail, ...learned };
      await update?.(run.mail);
    },
  };
  return run;
}

/** Failures after which the delay of a job has reached the longest one, after about a minute. */
const FAILURES_FOR_QUARANTINE = 10;

/**
 * Handles the mail, and counts a failure whose cause may be the mail. After the last of the growing
 * delays it is quarantined, if other mail was stored since it last failed: else the cause is
 * elsewhere, such as a missing column, and would quarantine all mail.
 */
export async function ingestCounted(
  context: Context,
  run: HeavyRun,
  handle: (context: Context, run: HeavyRun) => Promise<IngestResult>,
): Promise<IngestResult> {
  try {
    return await handle(context, run);
  } catch (error) {
    if (error instanceof DatabaseUnavailable || error instanceof AppError) throw error;
    const { count, at } = run.mail.failures ?? { count: 0, at: Infinity };
    if (count + 1 >= FAILURES_FOR_QUARANTINE && context.ingest.writer.lastStoredAt() > at) {
      await run.saveProgress({ failures: undefined }); // a retry by the operator begins anew
      return quarantine(context, run.mail, errorText(error));
    }
    await run.saveProgress({ failures: { count: count + 1, at: context.now() } });
    throw error;
  }
}

/**
 * Parses in a child within 1 to 2 s. Resolves to `unparsed` for mail that takes longer, or was
 * active when two workers crashed.
 */
export async function ingestQuickly(context: Context, run: HeavyRun): Promise<IngestResult> {
  const { mail, stalls } = run;
  const { heavyLimit, parsePool } = context.ingest;
  const { size } = mail;
  if (stalls + (mail.stalls ?? 0) > 1) return { kind: 'unparsed' };
  return heavyLimit.runExclusive(Math.max(size, HEAVY_BYTES_AT_ONCE / 2), () =>
    ingest(context, mail, (raw) => parsePool.parseQuickly(raw, size), run),
  );
}

/** Deaths of a worker while it read the mail, which its slow queue reads one at a time. */
const CRASHES_FOR_HEADERS = 3;
const CRASHES_FOR_QUARANTINE = 6;

/** Parses in a child within the long time limit, and only the header of what exceeds that. */
export async function ingestSlowly(context: Context, run: HeavyRun): Promise<IngestResult> {
  if (run.stalls >= CRASHES_FOR_QUARANTINE) {
    return quarantine(context, run.mail, 'handling the mail crashes the worker');
  }
  return ingest(context, run.mail, slowParse(context, run), run);
}

function slowParse(
  { ingest: { parsePool } }: Pick<Context, 'ingest'>,
  { mail, stalls, saveProgress: keep }: HeavyRun,
): Parse {
  if (stalls >= CRASHES_FOR_HEADERS) {
    return (raw) => parsePool.parseHeaders(raw, 'parsing the mail crashed the worker');
  }
  const { exceeded } = mail;
  if (exceeded) return (raw) => parsePool.parseHeadersAfter(raw, exceeded);
  return (raw) => parsePool.parse(raw, (limit) => keep({ exceeded: limit }));
}
