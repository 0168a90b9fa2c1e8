/** Converts a send request to a mail ready to be stored: MIME source, envelope and parsed form. */
import type { Context } from '../context.ts';
import { sentMailIds } from '../ids.ts';
import { readAttachmentFacts } from '../mime/facts/attachment-facts.ts';
import { readCalendarEvent } from '../mime/facts/calendar-event.ts';
import { readHeaderFacts } from '../mime/facts/header-facts.ts';
import { orNull } from '../mime/parse-mail.ts';
import type { ParsePool } from '../mime/parser-pool.ts';
import { rawReference } from '../intake/spool.ts';
import { messagesFor } from '../intake/accepted-mail.ts';
import { composedMail } from './compose-mail.ts';
import type { DecodedAttachment, SendAttachment } from './attachments.ts';
import type { SendRecipients } from './recipients.ts';
import type { MailToStore } from '../ingest/store-mail.ts';

export interface SendRequest {
  to: string[];
  cc?: string[];
  subject: string;
  text?: string;
  html?: string;
  /** Display name of the sender. */
  from?: string;
  /** Address of the sender; by default that of the mailbox. */
  fromAddress?: string;
  replyTo?: string | string[];
  /** Further header fields by name. */
  headers?: Record<string, string>;
  attachments?: SendAttachment[];
}

interface Outgoing {
  sender: { name: string; address: string };
  request: Pick<SendRequest, 'subject' | 'text' | 'html' | 'headers'>;
  replyTo: string[];
  recipients: SendRecipients;
  attachments: DecodedAttachment[];
  seed: string;
}

/**
 * Composes the mail, and writes its source to the blob store if it is larger than 1 MiB.
 * @param run runs the task that composes
 */
export async function composeOutgoing(
  context: Pick<Context, 'now' | 'blobs'>,
  run: ParsePool['run'],
  outgoing: Outgoing,
): Promise<MailToStore> {
  const { sender, request, replyTo, recipients, attachments, seed } = outgoing;
  const { messageId, ...ids } = sentMailIds(seed);
  const receivedAt = context.now();
  const date = new Date(receivedAt);
  const custom = request.headers ?? {};
  const headers = {
    to: recipients.to.map(({ address }) => address),
    cc: recipients.cc.map(({ address }) => address),
    subject: request.subject.toWellFormed(),
  };
  const messageIdHeader = `<${seed}@${sender.address.slice(sender.address.lastIndexOf('@') + 1)}>`;
  const fields = {
    ...headers,
    from: sender,
    text: request.text,
    html: request.html,
    attachments: attachments.map(({ contentId, ...rest }) => ({
      ...rest,
      ...(contentId === null
        ? { contentDisposition: 'attachment' as const }
        : { contentDisposition: 'inline' as const, cid: contentId }),
    })),
    replyTo: replyTo.map((address) => ({ name: '', address })),
    headers: custom,
    messageId: messageIdHeader,
    date,
  };
  const raw = await run(composedMail, fields);
  const reference = rawReference(ids.ingestId, raw.length);
  if (reference.in === 'blob') await context.blobs.put(reference.key, raw);
  return {
    accepted: {
      ...ids,
      receivedAt,
      sender: sender.address,
      size: raw.length,
      messages: messagesFor(
        recipients.all.map(({ address, ...rest }) => ({ ...rest, recipient: address })),
        receivedAt,
        messageId,
      ),
      raw: reference,
    },
    mail: {
      ...headers,
      from: { address: sender.address, name: orNull(sender.name) },
      messageIdHeader,
      text: orNull(request.text),
      html: orNull(request.html),
      attachments: attachments.map(
        ({ filename, shownType, charset, method, content, contentId }) => ({
          ...{ content, contentType: shownType, filename: orNull(filename), contentId },
          facts: readAttachmentFacts(
            {
              ...{ charset, method, description: null, content },
              disposition: contentId === null ? 'attachment' : 'inline',
            },
            contentId !== null,
          ),
        }),
      ),
      facts: readHeaderFacts(
        new Map([
          ['to', headers.to.map(unnamed)],
          ['cc', headers.cc.map(unnamed)],
          ['reply-to', replyTo.map(unnamed)],
        ]),
        [
          { key: 'date', line: `Date: ${date.toUTCString()}` },
          { key: 'message-id', line: `Message-ID: ${messageIdHeader}` },
          ...Object.entries(custom).map(([name, value]) => ({
            key: name.toLowerCase(),
            line: Buffer.from(`${name}: ${value}`).toString('latin1'),
          })),
        ],
      ),
      report: null,
      event: await readCalendarEvent(attachments),
      parseError: null,
    },
    raw,
  };
}

const unnamed = (address: string) => ({ address, name: '' });
