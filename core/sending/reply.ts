/** Replies to a stored message, or forwards it, inside the workspace. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { comparableAddress, mailboxAddress, parseAddress, recipientAddress } from '../addresses.ts';
import type { Caller } from '../auth/caller.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { requireMailbox } from '../mailboxes/mailboxes.ts';
import type { Reader } from '../mime/reading.ts';
import { attachmentName, readWhole, requireAttachment } from '../messages/files.ts';
import { type Message, requireMessageWithFiles } from '../messages/messages.ts';
import { type DecodedAttachment, requireTotal } from './attachments.ts';
import { oneLine } from '../text/characters.ts';
import { type Body, quotedBody, quotedOf } from './quote.ts';
import { type SendResult, sendFrom } from './send.ts';

export interface ReplyRequest extends Body {
  kind: 'reply' | 'replyAll' | 'forward';
  /** Recipients of a forwarded mail. */
  to?: string[];
}

/** The message that is replied to. */
interface Place {
  mailboxName: string;
  messageId: string;
  reader: Reader;
}

/** Message-IDs of References: the first one, by which threads are found, and the last ones. */
const MAX_REFERENCES = 100;
/** A Content-ID as `cid:` URLs refer to it. */
const CONTENT_ID = /^[!-;=?-~]{1,998}$/;
const MESSAGE_ID = /^<[!-;=?-~]{1,996}>$/;
/** "Re:" as mail clients write it in their languages, which is not repeated. */
const REPLY =
  /^(?:re|aw|antw|antwort|sv|vs|vá|odp|res|r|rif|ynt|bls|atb|απ|回复|回覆|答复|返信) ?(?:\[\d{1,3}\]|\(\d{1,3}\))? ?[:：]/iu;
/** The same for "Fwd:". */
const FORWARD =
  /^(?:fwd?|wg|vb|vl|vid|tr|rv|enc|pd|doorst|i|továbbítás|iltp|προωθ|转发|轉寄|転送) ?[:：]/iu;

/**
 * Sends a reply to a message of the mailbox, or forwards it with its attachments. A reply in HTML
 * has the pictures that the quoted message shows. The sender is the address that received the
 * message.
 * @throws {AppError} `not_found` for mailbox or message, `unprocessable` for `to` and for
 *   recipients outside the workspace, `payload_too_large` for the attachments, `unauthorized`,
 *   `rate_limited`, `unavailable`.
 */
export async function replyTo(
  context: Context,
  caller: Caller,
  { mailboxName, messageId, reader }: Place,
  { kind, to, ...body }: ReplyRequest,
  seed: string,
): Promise<SendResult> {
  const mailbox = await requireMailbox(context, caller, mailboxName);
  const original = await requireMessageWithFiles(context, mailbox, messageId, reader.admit);
  const isForward = kind === 'forward';
  if (!isForward && to !== undefined) {
    throw new AppError(
      'unprocessable',
      '"to" is for the kind "forward" only: a reply goes to the sender of the message. Nothing was sent.',
    );
  }
  const { subject } = original.mail;
  const parts = await context.ingest.reading.run(reader, quotedBody, () => {
    return { body, original: quotedOf(original), isForward };
  });
  const taken = isForward
    ? original.attachments
    : body.html === undefined
      ? []
      : original.attachments.filter((file) => isShown(original, file));
  const sizes = taken.map(({ size }) => size);
  requireTotal(sizes);
  const files = { sizes, read: () => attachmentsOf(context, mailbox, original, taken) };
  const request = {
    ...parts,
    ...(isForward ? { to: to ?? [] } : recipientsOf(caller, mailbox, original, kind)),
    subject: isForward ? withPrefix('Fwd:', FORWARD, subject) : withPrefix('Re:', REPLY, subject),
    fromAddress: receiverOf(caller, mailbox, original),
    headers: threadHeaders(original),
  };
  return sendFrom(context, caller, { mailbox, request, files, seed });
}

/** The address of the mailbox with its tag, or the address of which the mail was caught. */
function receiverOf({ workspace }: Caller, { name }: MailboxRow, { message }: Message): string {
  const own = parseAddress(message.recipient);
  const isOwn = own?.name === name && own.domain === workspace.domain;
  if (isOwn) return recipientAddress(own);
  return message.recipient || mailboxAddress(name, workspace.domain);
}

/** RFC 5322 section 3.6.3: Reply-To if there is one, otherwise From; to all, also To and Cc. */
function recipientsOf(
  caller: Caller,
  mailbox: MailboxRow,
  original: Message,
  kind: ReplyRequest['kind'],
): { to: string[]; cc?: string[] } {
  const { message, mail } = original;
  const replyAddresses = (message.facts?.replyTo ?? []).map(({ address }) => address);
  const senders = replyAddresses.length > 0 ? replyAddresses : [mail.fromAddress];
  if (senders.join('') === '') {
    throw new AppError('unprocessable', 'The message has no sender. Nothing was sent.');
  }
  if (kind === 'reply') return { to: senders };
  const used = new Set([...senders, receiverOf(caller, mailbox, original)].map(comparableAddress));
  const isOther = (address: string) => {
    const { name, domain } = parseAddress(address) ?? {};
    if (name === mailbox.name && domain === caller.workspace.domain) return false;
    const comparable = comparableAddress(address);
    return !used.has(comparable) && used.add(comparable);
  };
  return { to: [...senders, ...mail.to.filter(isOther)], cc: mail.cc.filter(isOther) };
}

/** RFC 5322 section 3.6.4. None for an original without a Message-ID that a field can repeat. */
function threadHeaders({ message, mail, details }: Message): Record<string, string> {
  const { messageIdHeader } = mail;
  if (messageIdHeader === null || !MESSAGE_ID.test(messageIdHeader)) return {};
  const earlier = details?.references ?? [];
  const parent = message.facts?.inReplyTo ?? null;
  const thread = earlier.length > 0 ? earlier : parent === null ? [] : [parent];
  const all = [...thread, messageIdHeader].filter((id) => MESSAGE_ID.test(id));
  const kept =
    all.length > MAX_REFERENCES ? [...all.slice(0, 1), ...all.slice(1 - MAX_REFERENCES)] : all;
  return { 'In-Reply-To': messageIdHeader, References: kept.join(' ') };
}

/** Whether the HTML shows the attachment by its Content-ID. */
function isShown(
  { mail, details }: Message,
  { position, contentId }: Message['attachments'][number],
): boolean {
  const isInline = details?.attachments[position]?.isInline === true;
  return isInline && mail.html !== null && contentId !== null && CONTENT_ID.test(contentId);
}

async function attachmentsOf(
  context: Context,
  mailbox: MailboxRow,
  original: Message,
  attachments: Message['attachments'],
): Promise<DecodedAttachment[]> {
  const { message, details } = original;
  const read: DecodedAttachment[] = [];
  for (const attachment of attachments) {
    const { id, position, contentType, contentId } = attachment;
    const file = await requireAttachment(context, mailbox, message.id, id);
    const facts = details?.attachments[position];
    read.push({
      filename: oneLine(file.filename) || attachmentName({ filename: null, position }),
      ...{ contentType, shownType: contentType },
      ...{ charset: facts?.charset ?? null, method: facts?.method ?? null },
      contentId: isShown(original, attachment) ? contentId : null,
      content: await readWhole(context, file),
    });
  }
  return read;
}

/** The subject with the prefix before it, unless it has one already. */
function withPrefix(prefix: string, present: RegExp, subject: string): string {
  const line = oneLine(subject);
  return present.test(line) ? line : `${prefix} ${line}`.trimEnd();
}
