/**
 * The body of a delivery. It is rendered for each attempt: its signed URLs are valid
 * for an hour, and the attempts span more than eight hours.
 */
import { attachmentUrl } from '../messages/signed-links.js';
import type { Context } from '../context.js';
import { newId } from '../ids.js';
import { loadMessage, type Message, shownRecipients } from '../messages/messages.js';
import { attachmentName } from '../messages/files.js';

export interface Payload {
  event: 'message.received';
  /** Slug of the receiving mailbox. */
  mailbox: string;
  message: {
    id: string;
    from: string;
    to: string[];
    subject: string;
    text: string;
    html: string;
    attachments: { filename: string; contentType: string; size: number; url: string | null }[];
    receivedAt: string;
  };
}

/** The payload of a message, or null when the message no longer exists. */
export async function messagePayload(
  context: Context,
  mailbox: { id: string; name: string },
  messageId: string,
): Promise<Payload | null> {
  const found = await loadMessage(context, mailbox.id, messageId);
  return found ? render(context, mailbox.name, found) : null;
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
      text: 'This is a test of your webhook. No such message exists.\n',
      html: '',
      attachments: [],
      receivedAt: at.toISOString(),
    },
  };
}

/** The message id of a test event; ids of stored messages have another prefix. */
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
