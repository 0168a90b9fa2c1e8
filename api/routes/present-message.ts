import { attachmentUrl } from '../../core/messages/signed-links.ts';
import type { Context } from '../../core/context.ts';
import { type Message, shownPreview } from '../../core/messages/messages.ts';
import { shownRecipients } from '../../core/messages/read-header.ts';
import type { Enclosed } from '../../core/messages/parts.ts';
import { previewOf } from '../../core/text/preview.ts';
import { attachmentName } from '../../core/messages/files.ts';
import type { Shape } from '../contract/contract.ts';

type Linking = Pick<Context, 'config' | 'now' | 'secrets'>;
type AttachmentFacts = NonNullable<Message['details']>['attachments'][number];

/**
 * Converts a message to its API representation. Absent values are undefined and omitted from the
 * JSON.
 */
export function presentMessage(context: Linking, shown: Message): Shape<'Message'> {
  const { message, mail, attachments, details } = shown;
  const { facts } = message;
  return {
    id: message.id,
    from: mail.fromAddress,
    to: shownRecipients(shown),
    subject: mail.subject,
    preview: shownPreview(shown),
    text: mail.text ?? undefined,
    html: mail.html ?? undefined,
    attachments: attachments.map((attachment) => ({
      ...presentAttachment(context, message.id, attachment),
      ...(details !== undefined && presentStoredFacts(details?.attachments[attachment.position])),
    })),
    receivedAt: message.receivedAt.toISOString(),
    tag: message.tag ?? undefined,
    cc: mail.cc,
    fromName: mail.fromName ?? undefined,
    messageIdHeader: mail.messageIdHeader ?? undefined,
    size: mail.size,
    expiresAt: message.expiresAt.toISOString(),
    parseError: mail.parseError ?? undefined,
    envelope: {
      from: message.envelopeFrom ?? mail.fromAddress,
      to: message.envelopeTo ?? [message.recipient],
    },
    date: facts?.date ?? null,
    sender: facts?.sender ?? null,
    inReplyTo: facts?.inReplyTo ?? null,
    threadId: facts?.threadId ?? null,
    autoSubmitted: facts?.autoSubmitted ?? null,
    listId: facts?.listId ?? null,
    ...(details !== undefined && presentDetails(facts, details)),
  };
}

/** Facts of an attachment that an earlier version stored. */
const NO_FACTS = {
  disposition: null,
  isInline: null,
  sha256: null,
  charset: null,
  method: null,
  description: null,
};

function presentFacts(facts: AttachmentFacts): Omit<AttachmentFacts, 'urls'> {
  const { disposition, isInline, sha256, charset, method, description } = facts;
  return { disposition, isInline, sha256, charset, method, description };
}

function presentStoredFacts(facts: AttachmentFacts | undefined) {
  return facts ? presentFacts(facts) : NO_FACTS;
}

function presentDetails(
  facts: Message['message']['facts'],
  details: NonNullable<Message['details']> | null,
): Pick<Shape<'Message'>, 'references' | 'recipients' | 'report' | 'event'> {
  if (!details) return { references: null, recipients: null, report: null, event: null };
  const { references, to, cc, bcc, report, event } = details;
  return { references, recipients: { to, cc, bcc, replyTo: facts?.replyTo ?? [] }, report, event };
}

function presentAttachment(
  context: Linking,
  messageId: string,
  attachment: Message['attachments'][number],
): Shape<'Attachment'> {
  const { id, contentId, contentType, size } = attachment;
  const signedUrl = attachmentUrl(context, messageId, attachment);
  return {
    id,
    contentId: contentId ?? undefined,
    filename: attachmentName(attachment),
    contentType,
    size,
    url: signedUrl,
    signedUrl,
  };
}

/**
 * A mail that is enclosed in another: it has no ids and no envelope.
 * @param section of the part that encloses it.
 */
export function presentEnclosed(
  { mail, size }: Enclosed,
  section: string,
): Shape<'EnclosedMessage'> {
  const { to, cc, bcc, replyTo, references, date, sender } = mail.facts;
  const { inReplyTo, autoSubmitted, listId } = mail.facts;
  return {
    from: mail.from?.address ?? '',
    fromName: mail.from?.name ?? undefined,
    to: mail.to,
    cc: mail.cc,
    subject: mail.subject,
    preview: previewOf(mail),
    text: mail.text ?? undefined,
    html: mail.html ?? undefined,
    attachments: mail.attachments.map((attachment, position) => ({
      filename: attachmentName({ filename: attachment.filename, position }),
      contentType: attachment.contentType,
      contentId: attachment.contentId ?? undefined,
      size: 'size' in attachment.content ? attachment.content.size : attachment.content.length,
      section: `${section}.${attachment.section ?? ''}`,
      ...presentFacts(attachment.facts),
    })),
    messageIdHeader: mail.messageIdHeader ?? undefined,
    size,
    parseError: mail.parseError ?? undefined,
    ...{ date, sender, inReplyTo, references, autoSubmitted, listId },
    recipients: { to, cc, bcc, replyTo },
    report: mail.report,
    event: mail.event,
  };
}
