/**
 * MIME bytes to a mail, with mailparser. Text and HTML stay as they were sent: none is made out of the
 * other, and cid: links are left alone. A mail that cannot be parsed whole yields what was read until then,
 * or its headers alone, and says so in `parseError`; its raw source is kept in any case.
 */
import type { AddressObject, EmailAddress } from 'mailparser';
import { MAX_ADDRESSES } from './address-list.js';
import { type ParseLimits, FULL_LIMITS } from './verbatim-parser.js';
import { errorText } from '../errors.js';
import { extractHeaders } from './header-only.js';
import { type ParsedMime, parseMime } from './read-mime.js';

/** With its attachments' bytes, or what stands for those of large ones. */
export interface Mail<Content = Buffer> {
  from: { address: string; name: string | null } | null;
  to: string[];
  cc: string[];
  subject: string;
  messageIdHeader: string | null;
  text: string | null;
  html: string | null;
  attachments: MailAttachment<Content>[];
  parseError: string | null;
}

export interface MailAttachment<Content = Buffer> {
  filename: string | null;
  contentType: string;
  /** What `cid:` links call it (RFC 2392). */
  contentId: string | null;
  content: Content;
}

/** The limits for a mail that is parsed in the worker process. Each of them bounds the time to a few milliseconds. */
export const INLINE_LIMITS: ParseLimits = {
  headerBytes: 16 * 1024,
  parts: 100,
  keepsFirstParts: false,
  slowCharsets: false,
};

/** The content of an attachment that is in a file already. */
export interface DraftContent {
  /** Bytes. */
  size: number;
  /** Makes them the blob of this key. */
  adopt: (key: string) => Promise<void>;
}

/**
 * Text in an unusual character set can be three times as long as its mail. A body above the size limit of a mail is
 * not kept.
 */
const MAX_BODY_BYTES = 26_214_400;
const TOO_LONG = 'the text is too long';

/** Never rejects for what a mail contains. */
export async function parseMail(raw: Buffer): Promise<Mail> {
  try {
    const parsed = await parseMime(raw, FULL_LIMITS);
    const mail = toMail(parsed, parsed.fault);
    return isTooLong(mail) ? { ...mail, text: null, html: null, parseError: TOO_LONG } : mail;
  } catch (error) {
    return headersOnly(raw, errorText(error));
  }
}

/** Parses within {@link INLINE_LIMITS}; null for a mail that exceeds them. */
export async function parseInline(raw: Buffer): Promise<Mail | null> {
  try {
    const parsed = await parseMime(raw, INLINE_LIMITS);
    return parsed.fault === null ? toMail(parsed, null) : null;
  } catch {
    return null;
  }
}

/** What can be known of a mail whose body is not to be read, for the reason given. */
export async function headersOnly(raw: Buffer, reason: string): Promise<Mail> {
  try {
    const parsed = await parseMime(extractHeaders(raw), FULL_LIMITS);
    return toMail({ ...parsed, text: '', html: '' }, reason);
  } catch {
    return unreadable(reason);
  }
}

/** What is left of a mail that cannot be kept whole: its headers, and why. */
export function withoutBody(mail: Mail<unknown>, reason: string): Mail {
  return { ...mail, text: null, html: null, attachments: [], parseError: reason };
}

/** A mail of which nothing is known but its envelope and its raw source. */
export function unreadable(reason: string): Mail {
  return toMail(nothingReadable(), reason);
}

function isTooLong({ text, html }: Mail): boolean {
  return Buffer.byteLength(text ?? '') + Buffer.byteLength(html ?? '') > MAX_BODY_BYTES;
}

function nothingReadable(): ParsedMime {
  const none = {
    from: undefined,
    to: undefined,
    cc: undefined,
    subject: undefined,
    messageId: undefined,
  };
  return { ...none, text: '', html: '', attachments: [], fault: null };
}

function toMail(parsed: ParsedMime, parseError: string | null): Mail {
  const [sender] = people(parsed.from);
  return {
    from: sender?.address
      ? { address: wellFormed(sender.address), name: orNull(sender.name) }
      : null,
    to: addresses(parsed.to),
    cc: addresses(parsed.cc),
    subject: wellFormed(parsed.subject ?? ''),
    messageIdHeader: orNull(parsed.messageId),
    text: orNull(parsed.text),
    html: orNull(parsed.html),
    attachments: parsed.attachments.map(toAttachment),
    parseError,
  };
}

function toAttachment(part: ParsedMime['attachments'][number]): MailAttachment {
  return {
    filename: orNull(part.filename),
    contentType: wellFormed(part.contentType || 'application/octet-stream'),
    contentId: orNull(part.contentId),
    content: part.content,
  };
}

function addresses(header: AddressObject | AddressObject[] | undefined): string[] {
  return people(header).flatMap(({ address }) => (address ? [wellFormed(address)] : []));
}

/** The first people of an address header, those inside groups included (RFC 5322 section 3.4). */
function people(header: AddressObject | AddressObject[] | undefined): EmailAddress[] {
  const objects = header === undefined ? [] : Array.isArray(header) ? header : [header];
  return objects
    .flatMap(({ value }) => value)
    .flatMap((person) => person.group ?? [person])
    .slice(0, MAX_ADDRESSES);
}

/** Well-formed text, or null for none. */
export function orNull(text: string | undefined): string | null {
  return text ? wellFormed(text) : null;
}

/**
 * PostgreSQL refuses U+0000 and JSON cannot carry lone surrogates; the raw source keeps the bytes. Where a
 * mail is all U+0000, `replaceAll` takes five times as long and a gigabyte.
 */
function wellFormed(text: string): string {
  return text.toWellFormed().split('\0').join('\uFFFD');
}
