/**
 * What processes of an older version write: mail without loads, jobs without
 * priority, entries of the recipient directory without workspace id, and rows without number.
 */
import { recipientOf } from '../../../core/addresses.ts';
import type { Context } from '../../../core/context.ts';
import { newId } from '../../../core/ids.ts';
import { ingestIdsOf } from '../../../core/intake/accepted-mail.ts';
import { ingestJob } from '../../../core/intake/ingest-job.ts';

const HOUR_MS = 3_600_000;
const SENDER = 'sender@elsewhere.test';

interface OldMail {
  to: string[];
  raw: string;
}

/** Turns all entries of the recipient directory into the old form, which has no workspace id. */
export async function writeOldDirectory({ redis, config }: Context): Promise<void> {
  const key = `${config.redisPrefix}:directory:mailboxes`;
  for (const [address, value] of Object.entries(await redis.hgetall(key))) {
    await redis.hset(key, address, value.split(' ')[0] ?? '');
  }
}

/**
 * Accepts mails as the SMTP process did: with one job, which has no priority. Returns its payload.
 */
export async function acceptAsBefore(context: Context, mails: OldMail[]): Promise<object> {
  const { directory, redis, queues, config } = context;
  const at = context.now();
  const jobId = newId('ingest', at);
  const accepted = [];
  for (const [index, { to, raw }] of mails.entries()) {
    const ingestId = ingestIdsOf(jobId, mails.length)[index] ?? '';
    const size = Buffer.byteLength(raw);
    const messages = [];
    for (const recipient of to) {
      const parsed = recipientOf(...(recipient.split('@') as [string, string]));
      const found = await directory.lookup(parsed);
      if (found.outcome !== 'mailbox') throw new Error(`${recipient} is ${found.outcome}`);
      const { mailboxId } = found;
      messages.push({ id: newId('message', at), mailboxId, recipient, tag: parsed.tag });
    }
    await redis.set(`${config.redisPrefix}:raw:${ingestId}`, raw);
    await redis.hset(`${config.redisPrefix}:raw:sizes`, ingestId, size);
    await redis.incrby(`${config.redisPrefix}:raw:bytes`, size);
    accepted.push({
      ...{ ingestId, mailId: newId('mail', at), receivedAt: at, sender: SENDER, size, messages },
      raw: { in: 'redis' as const },
    });
  }
  const payload = accepted.length === 1 ? accepted[0] : { mails: accepted };
  await queues.enqueue(ingestJob, ingestJob.payload.parse(payload), jobId);
  return payload ?? {};
}

/** Stores a mail as the worker did: its rows have no number. Returns the message id. */
export async function storeAsBefore(
  { store, now }: Pick<Context, 'store' | 'now'>,
  mailboxId: string,
  recipient: string,
  subject: string,
): Promise<string> {
  const at = now();
  const [mailId, id] = [newId('mail', at), newId('message', at)];
  const receivedAt = new Date(at);
  const expiresAt = new Date(at + HOUR_MS);
  await store.query((db) =>
    db.insert(db.t.mails).values({
      ...{ id: mailId, ingestId: newId('ingest', at), fromAddress: SENDER, fromName: null },
      ...{ to: [], cc: [], subject, messageIdHeader: null, size: 1, attachmentCount: 0 },
      ...{ parseError: null, rawBlobKey: null, text: 'x', html: null, raw: Buffer.alloc(1) },
      expiresAt,
    }),
  );
  await store.query((db) =>
    db.insert(db.t.messages).values({
      ...{ id, mailId, mailboxId, recipient, tag: null, receivedAt, expiresAt },
      ...{ bodyBytes: 1, preview: 'x' },
    }),
  );
  return id;
}
