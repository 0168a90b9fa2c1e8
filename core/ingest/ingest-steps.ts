/** The steps of accepted mail: open, parse, store, acknowledge; or quarantine. */
import type { AcceptedMail } from './accepted-mail.js';
import type { Context } from '../context.js';
import { errorText } from '../errors.js';
import type { DraftContent, Mail } from '../mime/parse-mail.js';
import type { RawSource } from '../mime/raw-source.js';
import { storeWithFallback } from './store-degraded.js';
import { liveMailboxIds } from '../../db/statements/mailboxes.js';
import { mailByIngestId } from '../../db/statements/mails.js';
import { UnstorableError } from '../../db/errors.js';
import { GiveUp } from '../queue/job.js';

/** Resolves to null if the mail must be parsed in another way. */
export type Parse = (raw: RawSource) => Promise<Mail<Buffer | DraftContent> | null>;

/** Number of runs after which mail that the database rejects in every form is quarantined. */
const FAILURES_FOR_QUARANTINE = 3;

/** Logs a failed write of the poison record. The record expires anyway, so the ingest continues. */
export async function logFailure({ log }: Context, recorded: Promise<void>): Promise<void> {
  await recorded.catch((error: unknown) => {
    log.warn('poison record not written', { fault: errorText(error) });
  });
}

/** Resolves to false, without changes, if the mail must be parsed in another way. */
export async function ingest(
  context: Context,
  accepted: AcceptedMail,
  parse: Parse,
): Promise<boolean> {
  const { ingestId, mailId } = accepted;
  const raw = await context.mailSpool.open(ingestId, accepted.raw);
  if (!raw) {
    await requireStored(context, accepted);
    await context.mailSpool.ack(ingestId);
    return true;
  }
  const { parseSeconds, parseErrors, ingestLagSeconds } = context.metrics.mail;
  const began = performance.now();
  const mail = await parse(raw);
  if (!mail) return false;
  parseSeconds.observe((performance.now() - began) / 1000);
  const outcome = await storeWithFallback(context, { accepted, mail, raw }).catch(
    (error: unknown) => countFailure(context, accepted, error),
  );
  if (outcome === 'stored') {
    ingestLagSeconds.observe(Math.max(0, context.now() - accepted.receivedAt) / 1000);
    if (mail.parseError !== null) parseErrors.inc();
  }
  await context.mailSpool.ack(ingestId);
  context.log.debug('mail ingested', { ingestId, mailId, outcome });
  return true;
}

/**
 * Quarantines mail that the database has rejected in several runs. @throws the error if the limit
 * is not reached.
 */
async function countFailure(
  context: Context,
  accepted: AcceptedMail,
  error: unknown,
): Promise<never> {
  if (!(error instanceof UnstorableError)) throw error;
  const failures = await context.poison.recordFailure(accepted.ingestId);
  if (failures < FAILURES_FOR_QUARANTINE) throw error;
  return quarantine(context, accepted, error.message);
}

/**
 * Leaves the job in the failed set. Until it is removed from there, no sweep removes the raw bytes,
 * which no longer count as waiting. A retry by the operator starts with an empty poison record.
 * @throws {GiveUp}
 */
export async function quarantine(
  context: Context,
  { ingestId }: AcceptedMail,
  reason: string,
): Promise<never> {
  const quarantinedBytes = await context.mailSpool.quarantine(ingestId);
  await logFailure(context, context.poison.clear(ingestId));
  context.metrics.mail.quarantined.inc();
  context.log.error('mail quarantined', { ingestId, reason, quarantinedBytes });
  throw new GiveUp(`quarantined: ${reason}`);
}

/**
 * Called if a job finds no raw bytes. This is expected if the mail is stored or none of its
 * mailboxes exists.
 * @throws {GiveUp} otherwise.
 */
async function requireStored(
  context: Context,
  { ingestId, messages }: AcceptedMail,
): Promise<void> {
  const { store } = context;
  const [stored] = await store.ask(mailByIngestId, ingestId);
  if (stored) return;
  const wanted = await store.ask(
    liveMailboxIds,
    messages.map(({ mailboxId }) => mailboxId),
  );
  if (wanted.length === 0) return;
  context.log.error('raw bytes of accepted mail missing', { ingestId });
  throw new GiveUp('raw_missing');
}
