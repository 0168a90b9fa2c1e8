/** The steps of accepted mail: open, parse, store, acknowledge; or quarantine. */
import type { RawSource } from '../blobs/blob-store.ts';
import type { AcceptedMail } from '../intake/accepted-mail.ts';
import type { Context } from '../context.ts';
import { errorText } from '../errors.ts';
import type { DraftContent, Mail } from '../mime/parse-mail.ts';
import { storeWithFallback } from './store-mail.ts';
import { liveMailboxIds } from '../../db/statements/mailboxes.ts';
import { type StoreOutcome, mailByIngestId } from '../../db/statements/mails.ts';
import { UnstorableError } from '../../db/errors.ts';

type Quarantining = Pick<Context, 'log' | 'mailSpool' | 'metrics' | 'ingest'>;

/**
 * `unparsed`: nothing has changed, the mail needs to be parsed in another way. `failed`: no further
 * run can succeed.
 */
export type IngestResult =
  { kind: 'done' } | { kind: 'unparsed' } | { kind: 'failed'; reason: string };

/** Resolves to null if the mail must be parsed in another way. */
export type Parse = (raw: RawSource) => Promise<Mail<Buffer | DraftContent> | null>;

/** Number of runs after which mail that the database rejects in every form is quarantined. */
const FAILURES_FOR_QUARANTINE = 3;

/** Logs a failed write of the poison record. The record expires anyway, so the ingest continues. */
export async function logFailure(
  { log }: Pick<Context, 'log'>,
  recorded: Promise<void>,
): Promise<void> {
  await recorded.catch((error: unknown) => {
    log.warn('poison record not written', { fault: errorText(error) });
  });
}

/** Resolves to false, without changes, if the mail must be parsed in another way. */
export async function ingest(
  context: Context,
  accepted: AcceptedMail,
  parse: Parse,
): Promise<IngestResult> {
  const { ingestId, mailId } = accepted;
  const raw = await context.mailSpool.open(ingestId, accepted.raw);
  if (!raw) {
    if (!(await isSettled(context, accepted))) {
      context.log.error('raw bytes of accepted mail missing', { ingestId });
      return { kind: 'failed', reason: 'raw_missing' };
    }
    await context.mailSpool.ack(ingestId);
    return { kind: 'done' };
  }
  const began = performance.now();
  const mail = await parse(raw);
  if (!mail) return { kind: 'unparsed' };
  context.metrics.mail.parseSeconds.observe((performance.now() - began) / 1000);
  const outcome = await storeWithFallback(context, { accepted, mail, raw }).catch(
    (error: unknown) => countFailure(context, accepted, error),
  );
  if (typeof outcome === 'object') return outcome;
  recordStored(context, accepted, mail, outcome);
  await context.mailSpool.ack(ingestId);
  context.log.debug('mail ingested', { ingestId, mailId, outcome });
  return { kind: 'done' };
}

/** Records the metrics of a mail that is new in the database. */
export function recordStored(
  { metrics, now }: Pick<Context, 'metrics' | 'now'>,
  { receivedAt }: AcceptedMail,
  { parseError }: Mail<unknown>,
  outcome: StoreOutcome,
): void {
  if (outcome !== 'stored') return;
  metrics.mail.ingestLagSeconds.observe(Math.max(0, now() - receivedAt) / 1000);
  if (parseError !== null) metrics.mail.parseErrors.inc();
}

/**
 * Quarantines mail that the database has rejected in several runs. @throws the error if the limit
 * is not reached.
 */
async function countFailure(
  context: Quarantining,
  accepted: AcceptedMail,
  error: unknown,
): Promise<IngestResult> {
  if (!(error instanceof UnstorableError)) throw error;
  const failures = await context.ingest.poison.recordFailure(accepted.ingestId);
  if (failures < FAILURES_FOR_QUARANTINE) throw error;
  return quarantine(context, accepted, error.message);
}

/**
 * Leaves the job in the failed set. Until it is removed from there, no sweep removes the raw bytes,
 * which no longer count as waiting. A retry by the operator starts with an empty poison record.
 */
export async function quarantine(
  context: Quarantining,
  { ingestId }: AcceptedMail,
  reason: string,
): Promise<IngestResult> {
  const quarantinedBytes = await context.mailSpool.quarantine(ingestId);
  await logFailure(context, context.ingest.poison.clear(ingestId));
  context.metrics.mail.quarantined.inc();
  context.log.error('mail quarantined', { ingestId, reason, quarantinedBytes });
  return { kind: 'failed', reason: `quarantined: ${reason}` };
}

/**
 * Whether raw bytes may be missing: they are removed after the mail is stored, or when none of its
 * mailboxes exists.
 */
async function isSettled(
  { store, now }: Pick<Context, 'now' | 'store'>,
  { ingestId, messages }: AcceptedMail,
): Promise<boolean> {
  const [stored] = await store.ask(mailByIngestId, ingestId);
  if (stored) return true;
  const wanted = await store.ask(
    liveMailboxIds,
    messages.map(({ mailboxId }) => mailboxId),
    new Date(now()),
  );
  return wanted.length === 0;
}
