/** The steps of every accepted mail: open, parse, store, acknowledge; or quarantine. */
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

type Quarantining = Pick<Context, 'log' | 'mailSpool' | 'metrics' | 'ingest'>;

/** Resolves to null for mail that needs to be parsed in another way. */
export type Parse = (raw: RawSource) => Promise<Mail<Buffer | DraftContent> | null>;

/** Runs in which the database rejected the mail in every form. */
const FAILURES_FOR_QUARANTINE = 3;

/** Logs a failure to write the poison record. The record expires anyway, so the ingest does not fail with it. */
export async function logFailure(
  { log }: Pick<Context, 'log'>,
  recorded: Promise<void>,
): Promise<void> {
  await recorded.catch((error: unknown) => {
    log.warn('poison record not written', { fault: errorText(error) });
  });
}

/** Resolves to false, with nothing changed, when the mail needs to be parsed in another way. */
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

/** Quarantines mail that the database has rejected in several runs. @throws the error in every case before that. */
async function countFailure(
  context: Quarantining,
  accepted: AcceptedMail,
  error: unknown,
): Promise<never> {
  if (!(error instanceof UnstorableError)) throw error;
  const failures = await context.ingest.poison.recordFailure(accepted.ingestId);
  if (failures < FAILURES_FOR_QUARANTINE) throw error;
  return quarantine(context, accepted, error.message);
}

/**
 * The job stays in the failed set. While it does, no sweep removes the raw bytes, which are no longer counted as
 * waiting. An operator's retry begins with an empty poison record.
 * @throws {GiveUp}
 */
export async function quarantine(
  context: Quarantining,
  { ingestId }: AcceptedMail,
  reason: string,
): Promise<never> {
  const quarantinedBytes = await context.mailSpool.quarantine(ingestId);
  await logFailure(context, context.ingest.poison.clear(ingestId));
  context.metrics.mail.quarantined.inc();
  context.log.error('mail quarantined', { ingestId, reason, quarantinedBytes });
  throw new GiveUp(`quarantined: ${reason}`);
}

/**
 * For a job that finds no raw bytes: they are removed once the mail is stored or none of its mailboxes exists.
 * @throws {GiveUp} when neither is the case.
 */
async function requireStored(
  context: Pick<Context, 'log' | 'store'>,
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
  context.log.error('accepted mail without its bytes', { ingestId });
  throw new GiveUp('raw_missing');
}
