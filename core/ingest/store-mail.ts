/** Stores an accepted mail. All mail enters the database this way. */
import { referredBlobKeys } from '../../db/statements/blob-references.ts';
import { type DeliveryRow, pendingOf } from '../../db/statements/deliveries.ts';
import type { MailRows, StoreOutcome, StoreResult } from '../../db/statements/mails.ts';
import type { MailDetails, MessageFacts } from '../../db/schema/mail-facts.ts';
import { comparableAddress } from '../addresses.ts';
import { attachmentBlobKey } from '../blobs/keys.ts';
import { INLINE_MAX_BYTES, type RawSource } from '../blobs/blob-store.ts';
import type { Context } from '../context.ts';
import { queueDeliveries } from '../delivery/queue-deliveries.ts';
import { discardBlobs } from '../blobs/discard.ts';
import { eventOf } from '../events/event.ts';
import { threadIdOf } from '../ids.ts';
import { previewOf } from '../text/preview.ts';
import type { AcceptedMail } from '../intake/accepted-mail.ts';
import type { HeaderFacts } from '../mime/facts/header-facts.ts';
import type { DraftContent, Mail, MailAttachment } from '../mime/parse-mail.ts';

export interface MailToStore {
  accepted: AcceptedMail;
  mail: Mail<Buffer | DraftContent>;
  raw: RawSource;
}

/**
 * Stores the mail with its messages, attachments and raw source. Blobs are written before the
 * commit, under keys that a repeat reuses; blobs that the commit does not use are removed.
 * Deliveries are committed with the mail, and their jobs are added after the commit. With
 * `conditions`, the mail is stored for all its mailboxes or not at all.
 */
export async function storeMail(
  context: Context,
  { accepted, mail, raw }: MailToStore,
  conditions: MailRows['conditions'] = null,
): Promise<StoreOutcome> {
  const attachments = await Promise.all(
    mail.attachments.map((attachment, position) =>
      storeAttachment(context, accepted, attachment, position),
    ),
  );
  const rows = { ...toRows(accepted, mail, raw, attachments), conditions };
  const { outcome, shown, deliveries } = await context.ingest.writer.add(rows);
  if (outcome === 'stored' || outcome === 'repeated') publishReceived(context, shown);
  if (outcome !== 'stored') await discardUnused(context, rows);
  const owed = outcome === 'repeated' ? await pendingDeliveries(context, rows) : deliveries;
  if (owed.length === 0) return outcome;
  const workspaces = new Map(shown.map(({ id, mailbox }) => [id, mailbox.workspaceId]));
  await queueDeliveries(
    context,
    owed.map((delivery) => ({
      delivery,
      workspaceId: workspaces.get(delivery.messageId) ?? null,
    })),
  );
  return outcome;
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

/** Also called for a repeat: the run that stored the mail may have crashed before it published. */
function publishReceived({ events }: Pick<Context, 'events'>, shown: StoreResult['shown']): void {
  for (const { id, mailbox, number } of shown) {
    const event = eventOf('message.received', mailbox, { messageId: id, number });
    events.publisher.publish(mailbox.workspaceId, event);
  }
}

/**
 * Deliveries of a repeat: the run that stored the mail may have crashed before it added their jobs.
 */
function pendingDeliveries(
  { store }: Pick<Context, 'store'>,
  { messages }: MailRows,
): PromiseLike<DeliveryRow[]> {
  return store.query(
    pendingOf,
    messages.map(({ id }) => id),
  );
}

function toRows(
  accepted: AcceptedMail,
  mail: Mail<unknown>,
  raw: RawSource,
  attachments: MailRows['attachments'],
): Omit<MailRows, 'conditions'> {
  const receivedAt = new Date(accepted.receivedAt);
  const bodyBytes = Buffer.byteLength(mail.text ?? '') + Buffer.byteLength(mail.html ?? '');
  const preview = previewOf(mail);
  const rawBlobKey = accepted.raw.in === 'blob' ? accepted.raw.key : null;
  return {
    mail: {
      id: accepted.mailId,
      ingestId: accepted.ingestId,
      fromAddress: mail.from?.address ?? accepted.sender,
      fromName: mail.from?.name ?? null,
      to: mail.to,
      cc: mail.cc,
      subject: mail.subject,
      messageIdHeader: mail.messageIdHeader,
      size: accepted.size,
      attachmentCount: attachments.length,
      parseError: mail.parseError,
      rawBlobKey,
      text: mail.text,
      html: mail.html,
      raw: rawBlobKey === null && Buffer.isBuffer(raw) ? raw : null,
      details: detailsOf(mail),
    },
    ...caughtOf(accepted.messages, receivedAt),
    messages: accepted.messages.map((message) => ({
      ...message,
      mailId: accepted.mailId,
      receivedAt,
      bodyBytes,
      envelopeFrom: accepted.sender,
      preview,
      facts: messageFacts(mail.facts, message.mailboxId),
    })),
    attachments,
  };
}

function detailsOf({ facts, attachments, report, event }: Mail<unknown>): MailDetails {
  const { references, to, cc, bcc } = facts;
  const files = attachments.map((each) => each.facts);
  return { references, to, cc, bcc, attachments: files, report, event };
}

function messageFacts(facts: HeaderFacts, mailboxId: string): MessageFacts {
  const { date, sender, inReplyTo, threadRoot, replyTo, autoSubmitted, listId, tags } = facts;
  const threadId = threadRoot === null ? null : threadIdOf(mailboxId, threadRoot);
  const shown = { date, sender, inReplyTo, threadId, replyTo, autoSubmitted, listId };
  return tags ? { ...shown, tags } : shown;
}

/** The rows of caught recipients; none for mail that is not caught. */
function caughtOf(messages: AcceptedMail['messages'], receivedAt: Date): Pick<MailRows, 'caught'> {
  if (!messages.some(({ envelopeTo }) => envelopeTo)) return {};
  const caught = messages.flatMap(({ id, mailboxId, envelopeTo = [] }) =>
    envelopeTo.map((address, place) => ({
      id: `${id}/${place}`,
      messageId: id,
      mailboxId,
      address: comparableAddress(address),
      receivedAt,
    })),
  );
  return { caught };
}

async function storeAttachment(
  context: Pick<Context, 'blobs'>,
  accepted: AcceptedMail,
  attachment: MailAttachment<Buffer | DraftContent>,
  position: number,
): Promise<MailRows['attachments'][number]> {
  const id = `att_${accepted.mailId.slice(accepted.mailId.indexOf('_') + 1)}_${position}`;
  return {
    id,
    mailId: accepted.mailId,
    position,
    filename: attachment.filename,
    contentType: attachment.contentType,
    contentId: attachment.contentId,
    ...(await storeContent(
      context,
      attachment.content,
      attachmentBlobKey(id, accepted.receivedAt),
    )),
  };
}

async function storeContent(
  { blobs }: Pick<Context, 'blobs'>,
  content: Buffer | DraftContent,
  blobKey: string,
): Promise<Pick<MailRows['attachments'][number], 'size' | 'blobKey' | 'content'>> {
  if (!Buffer.isBuffer(content)) {
    await content.adopt(blobKey);
    return { size: content.size, blobKey, content: null };
  }
  const size = content.length;
  if (size <= INLINE_MAX_BYTES) return { size, blobKey: null, content };
  await blobs.put(blobKey, content);
  return { size, blobKey, content: null };
}

/** Rows can be missing because the mail was deleted after an earlier run stored it. */
async function discardUnused(
  context: Pick<Context, 'log' | 'queues' | 'store'>,
  rows: MailRows,
): Promise<void> {
  const keys = blobKeysOf(rows);
  if (keys.length === 0) return;
  const ids = [rows.mail.ingestId, ...rows.attachments.map(({ id }) => id)];
  const referred = await referredBlobKeys(context.store, ids);
  await discardBlobs(
    context,
    keys.filter((key) => !referred.has(key)),
  );
}

function blobKeysOf({ mail, attachments }: MailRows): string[] {
  return [mail.rawBlobKey, ...attachments.map(({ blobKey }) => blobKey)].filter(
    (key): key is string => typeof key === 'string',
  );
}
