/**
 * The body of a delivery. It is rendered for each attempt: its signed URLs are valid for one hour,
 * while the attempts span more than eight hours.
 */
import { attachmentUrl } from '../messages/signed-links.ts';
import type { Context } from '../context.ts';
import type { Extraction } from '../extraction/types.ts';
import { newId } from '../ids.ts';
import { extractedFrom } from '../messages/extractions.ts';
import { findMessageWithFiles, type Message, shownPreview } from '../messages/messages.ts';
import { shownRecipients } from '../messages/read-header.ts';
import { attachmentName } from '../messages/files.ts';

/** What a webhook can ask for beside the message. */
const PAYLOAD_PARTS = ['extracted'] as const;
export type PayloadPart = (typeof PAYLOAD_PARTS)[number];

export interface Payload {
  event: 'message.received';
  /** Name of the receiving mailbox. */
  mailbox: string;
  message: {
    id: string;
    from: string;
    to: string[];
    subject: string;
    preview: string;
    text: string;
    html: string;
    attachments: { filename: string; contentType: string; size: number; url: string | null }[];
    receivedAt: string;
  };
  /** The code and the links of the message, if the webhook includes them. */
  extracted?: Extraction;
}

export function isPayloadPart(part: string): part is PayloadPart {
  return PAYLOAD_PARTS.some((known) => known === part);
}

/**
 * The payload of a message, or null if the message no longer exists.
 * @param include parts beside the message.
 */
export async function messagePayload(
  context: Context,
  mailbox: { id: string; name: string },
  messageId: string,
  include: string[] = [],
): Promise<Payload | null> {
  const found = await findMessageWithFiles(context, mailbox.id, messageId);
  if (!found) return null;
  const extracted = include.includes('extracted') ? await extractedFrom(context, found) : undefined;
  return payloadOf(context, mailbox, found, extracted);
}

/** The payload of a message that was read before. */
export function payloadOf(
  context: Pick<Context, 'config' | 'now' | 'secrets'>,
  mailbox: { name: string },
  found: Message,
  extracted?: Extraction,
): Payload {
  const payload = render(context, mailbox.name, found);
  return extracted === undefined ? payload : { ...payload, extracted };
}

/** The payload of a test event: a message that is in no mailbox. */
export function testPayload(mailboxName: string, messageId: string, at: Date): Payload {
  return {
    event: 'message.received',
    mailbox: mailboxName,
    message: {
      id: messageId,
      from: 'test@mayfly.example',
      to: [],
      subject: 'Test event',
      preview: 'This is a test of your webhook. The message does not exist.',
      text: 'This is a test of your webhook. The message does not exist.\n',
      html: '',
      attachments: [],
      receivedAt: at.toISOString(),
    },
  };
}

/** The message id of a test event. Ids of stored messages have another prefix. */
export function testMessageId(at: number): string {
  return newId('testMessage', at);
}

function render(
  context: Pick<Context, 'config' | 'now' | 'secrets'>,
  mailboxName: string,
  shown: Message,
): Payload {
  const { message, mail, attachments } = shown;
  return {
    event: 'message.received',
    mailbox: mailboxName,
    message: {
      id: message.id,
      from: mail.fromAddress,
      to: shownRecipients(shown),
      subject: mail.subject,
      preview: shownPreview(shown),
      text: mail.text ?? '',
      html: mail.html ?? '',
      attachments: attachments.map((attachment) => ({
        filename: attachmentName(attachment),
        contentType: attachment.contentType,
        size: attachment.size,
        url: attachmentUrl(context, message.id, attachment),
      })),
      receivedAt: message.receivedAt.toISOString(),
    },
  };
}
