import type { Message } from '../core/messages.js';
import type { AttachmentRow } from '../db/messages.js';

/** A message as the interface shows it. What a mail does not have is undefined, and so not in the JSON. */
export function presentMessage({ message, mail, attachments }: Message) {
  return {
    id: message.id,
    from: mail.fromAddress,
    to: mail.to.length > 0 ? mail.to : [message.recipient],
    subject: mail.subject,
    text: mail.text ?? undefined,
    html: mail.html ?? undefined,
    attachments: attachments.map(presentAttachment),
    receivedAt: message.receivedAt,
    tag: message.tag ?? undefined,
    cc: mail.cc,
    fromName: mail.fromName ?? undefined,
    messageIdHeader: mail.messageIdHeader ?? undefined,
    size: mail.size,
    expiresAt: message.expiresAt,
    parseError: mail.parseError ?? undefined,
  };
}

function presentAttachment({ id, position, filename, contentType, size }: AttachmentRow) {
  const signedUrl = null;
  return {
    id,
    filename: filename ?? `attachment-${position + 1}`,
    contentType,
    size,
    url: signedUrl,
    signedUrl,
  };
}
