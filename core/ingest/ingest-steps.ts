/** The steps of accepted mail: open, parse, store at least in part, acknowledge; or quarantine. */
import type { RawSource } from '../blobs/blob-store.ts';
import type { AcceptedMail } from '../intake/accepted-mail.ts';
import type { Context } from '../context.ts';
import { type DraftContent, type Mail, unreadable, withoutBody } from '../mime/parse-mail.ts';
import { type MailToStore, recordStored, storeMail } from './store-mail.ts';
import type { JobRun } from '../queue/job.ts';
import { liveMailboxIds } from '../../db/statements/mailboxes.ts';
import { type MailRows, type StoreOutcome, mailByIngestId } from '../../db/statements/mails.ts';
import { UnstorableError } from '../../db/errors.ts';

type Quarantining = Pick<Context, 'log' | 'mailSpool' | 'metrics'>;

/**
 * `unparsed`: nothing has changed, the mail needs to be parsed in another way. `failed`: no further
 * run can succeed.
 */
export type IngestResult =
  { kind: 'done' } | { kind: 'unparsed' } | { kind: 'failed'; reason: string };

/** Resolves to null if the mail must be parsed in another way. */
export type Parse = (raw: RawSource) => Promise<Mail<Buffer | DraftContent> | null>;

/** Mail that the database rejects in every form is quarantined. */
export async function ingest(
  context: Context,
  accepted: AcceptedMail,
  parse: Parse,
  { requireMaster }: Pick<JobRun, 'requireMaster'>,
): Promise<IngestResult> {
  const { ingestId, mailId } = accepted;
  const raw = await context.mailSpool.open(ingestId, accepted.raw);
  if (!raw) {
    if (!(await isSettled(context, accepted))) {
      await requireMaster?.();
      context.log.error('raw bytes of accepted mail missing', { ingestId });
      await context.mailSpool.ack([accepted]); // nothing waits any more
      return { kind: 'failed', reason: 'raw_missing' };
    }
    await context.mailSpool.ack([accepted]);
    return { kind: 'done' };
  }
  const began = performance.now();
  const mail = await parse(raw);
  if (!mail) return { kind: 'unparsed' };
  context.metrics.mail.parseSeconds.observe((performance.now() - began) / 1000);
  const outcome = await storeWithFallback(context, { accepted, mail, raw }).catch(
    (error: unknown) => {
      if (!(error instanceof UnstorableError)) throw error;
      return quarantine(context, accepted, error.message);
    },
  );
  if (typeof outcome === 'object') return outcome;
  recordStored(context, accepted, mail, outcome);
  await context.mailSpool.ack([accepted]);
  context.log.debug('mail ingested', { ingestId, mailId, outcome });
  return { kind: 'done' };
}

/**
 * Stores the mail in full. If the database rejects its content, stores only its headers, or else
 * only its envelope. The raw source is stored in each case.
 * @throws {UnstorableError} if the database rejects all three forms; other errors as for
 *   `storeMail`.
 */
export async function storeWithFallback(
  context: Context,
  { accepted, mail, raw }: MailToStore,
  conditions: MailRows['conditions'] = null,
): Promise<StoreOutcome> {
  const { ingestId } = accepted;
  try {
    return await storeMail(context, { accepted, mail, raw }, conditions);
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error;
    context.log.warn('database rejected the mail content, storing headers only', {
      ingestId,
      fault: error.message,
    });
  }
  const reason = 'the content could not be stored';
  try {
    return await storeMail(context, { accepted, mail: withoutBody(mail, reason), raw }, conditions);
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error;
  }
  return storeMail(context, { accepted, mail: unreadable(reason), raw }, conditions);
}

/**
 * Leaves the job in the failed set. Until it is removed from there, no sweep removes the raw bytes,
 * which no longer count as waiting.
 */
export async function quarantine(
  context: Quarantining,
  accepted: AcceptedMail,
  reason: string,
): Promise<IngestResult> {
  const { ingestId } = accepted;
  const quarantinedBytes = await context.mailSpool.quarantine(accepted);
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
  const [stored] = await store.query(mailByIngestId, ingestId);
  if (stored) return true;
  const wanted = await store.query(
    liveMailboxIds,
    messages.map(({ mailboxId }) => mailboxId),
    new Date(now()),
  );
  return wanted.length === 0;
}
