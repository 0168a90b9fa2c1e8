import { type AcceptedMail, acceptedMail } from '../core/ingest.js';
import type { Context } from '../core/context.js';
import type { Mail } from '../core/mail.js';
import { storeMail } from '../core/store-mail.js';
import { liveMailboxIds } from '../db/mailboxes.js';
import { mailByIngestId } from '../db/mails.js';
import { ENDLESS, GiveUp, cappedBackoff, defineJob } from './job.js';

/**
 * Accepted mail into the database. It has no final failure: what was answered with 250 is tried until it
 * is stored. Repeats are harmless, since a mail is stored once for its ingest id. Mail that is large, or
 * that a worker died with, is parsed in a process of its own and a few at a time.
 */
export const ingestMessage = defineJob<AcceptedMail>({
  name: 'ingest-message',
  payload: acceptedMail,
  options: {
    attempts: ENDLESS,
    backoff: { type: 'capped' },
    removeOnComplete: true,
    stackTraceLimit: 1,
  },
  worker: {
    concurrency: ({ config }) => config.worker.concurrency,
    lockDuration: 10_000,
    stalledInterval: 3_000,
    maxStalledCount: ENDLESS,
  },
  backoff: cappedBackoff(30_000),
  async run(context, accepted, { stalls }) {
    const heavy = accepted.raw.in === 'blob' || stalls > 0;
    const { parse, parseLight, admit } = context.parsePool;
    await (heavy
      ? admit(() => ingest(context, accepted, parse))
      : ingest(context, accepted, parseLight));
  },
});

async function ingest(
  context: Context,
  accepted: AcceptedMail,
  parse: (raw: Buffer) => Promise<Mail>,
): Promise<void> {
  const { ingestId, mailId } = accepted;
  const raw = await context.rawMail.get(ingestId, accepted.raw);
  if (!raw) {
    await requireSettled(context, accepted);
    await context.rawMail.settle(ingestId);
    return;
  }
  const outcome = await storeMail(context, { accepted, mail: await parse(raw), raw });
  await context.rawMail.settle(ingestId);
  context.log.debug('mail ingested', { ingestId, mailId, outcome });
}

/**
 * The bytes go once the mail is stored, or once nobody is left to receive it: a job that finds none has
 * done its work in an earlier run.
 */
async function requireSettled(
  context: Context,
  { ingestId, messages }: AcceptedMail,
): Promise<void> {
  const { db } = context.store;
  const [stored] = await mailByIngestId(db, ingestId);
  if (stored) return;
  const wanted = await liveMailboxIds(
    db,
    messages.map(({ mailboxId }) => mailboxId),
  );
  if (wanted.length === 0) return;
  context.log.error('accepted mail without its bytes', { ingestId });
  throw new GiveUp('raw_missing');
}
