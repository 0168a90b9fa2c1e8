/** A send request as a mail ready to be stored: MIME source, envelope and parsed form in one. */
import { composeMail } from './compose.js';
import type { Context } from './context.js';
import { newId, sentMailIds } from './ids.js';
import type { MessageToStore } from './ingest.js';
import { orNull } from './mail.js';
import { rawReference } from './raw-mail.js';
import type { SendRequest } from './send.js';
import type { DecodedAttachment } from './send-attachments.js';
import type { SendRecipient, SendRecipients } from './send-recipients.js';
import type { MailToStore } from './store-mail.js';

interface Outgoing {
  sender: { name: string; address: string };
  request: SendRequest;
  recipients: SendRecipients;
  attachments: DecodedAttachment[];
  seed: string;
}

/** Composes the mail, and keeps its source in the blob store where it is above 1 MiB. */
export async function composeOutgoing(context: Context, outgoing: Outgoing): Promise<MailToStore> {
  const { sender, request, recipients, attachments, seed } = outgoing;
  const { messageId, ...ids } = sentMailIds(seed);
  const receivedAt = context.now();
  const headers = {
    to: recipients.to.map(({ address }) => address),
    cc: recipients.cc.map(({ address }) => address),
    subject: request.subject.toWellFormed(),
  };
  const messageIdHeader = `<${seed}@${sender.address.slice(sender.address.lastIndexOf('@') + 1)}>`;
  const raw = await composeMail({
    ...headers,
    from: sender,
    text: request.text,
    html: request.html,
    attachments,
    messageId: messageIdHeader,
    date: new Date(receivedAt),
  });
  const reference = rawReference(ids.ingestId, raw.length);
  if (reference.in === 'blob') await context.blobs.put(reference.key, raw);
  return {
    accepted: {
      ...ids,
      receivedAt,
      sender: sender.address,
      size: raw.length,
      messages: messagesFor(recipients.all, messageId, receivedAt),
      raw: reference,
    },
    mail: {
      ...headers,
      from: { address: sender.address, name: orNull(sender.name) },
      messageIdHeader,
      text: orNull(request.text),
      html: orNull(request.html),
      attachments: attachments.map(({ filename, ...rest }) => ({
        ...rest,
        filename: orNull(filename),
        contentId: null,
      })),
      parseError: null,
    },
    raw,
  };
}

/** One message for each distinct mailbox and tag; the first has the id that the sender is told. */
function messagesFor(recipients: SendRecipient[], firstId: string, at: number): MessageToStore[] {
  const distinct = new Map(
    recipients.map(
      (recipient) => [`${recipient.mailboxId} ${recipient.tag ?? ''}`, recipient] as const,
    ),
  );
  return [...distinct.values()].map(({ mailboxId, address, tag }, index) => ({
    id: index === 0 ? firstId : newId('message', at),
    mailboxId,
    recipient: address,
    tag,
  }));
}
