/**
 * Parses MIME with mailparser. Text and HTML stay as sent: neither is derived from the other, and
 * cid: links are unchanged. If a mail cannot be parsed completely, the result contains what was
 * parsed, or only its headers, and `parseError` has the reason. The raw source is stored in any
 * case.
 */
import type { AddressObject, EmailAddress, Headers } from 'mailparser';
import { MAX_ADDRESSES } from './canonical/address-field.ts';
import type { AttachmentFacts, CalendarEvent, Report } from '../../db/schema/mail-facts.ts';
import { readAttachmentFacts } from './facts/attachment-facts.ts';
import { wellFormed } from './facts/fit.ts';
import { attachmentNames } from './facts/attachment-names.ts';
import { readCalendarEvent } from './facts/calendar-event.ts';
import { ADDRESS_FIELDS, type HeaderFacts, readHeaderFacts } from './facts/header-facts.ts';
import { FULL_LIMITS, INLINE_LIMITS, type ParseLimits } from './parse-limits.ts';
import { errorText } from '../errors.ts';
import { loadOnce } from '../share-runs.ts';
import { namesIn } from './picture-urls.ts';
import { urlsOfParts } from './shown-parts.ts';
import type { ParsedMime } from './read-mime.ts';

/** `Content` is the bytes of an attachment, or a reference to a draft file. */
export interface Mail<Content = Buffer> {
  from: { address: string; name: string | null } | null;
  to: string[];
  cc: string[];
  subject: string;
  messageIdHeader: string | null;
  text: string | null;
  html: string | null;
  attachments: MailAttachment<Content>[];
  facts: HeaderFacts;
  report: Report | null;
  event: CalendarEvent | null;
  parseError: string | null;
}

export interface MailAttachment<Content = Buffer> {
  filename: string | null;
  contentType: string;
  /** Content-ID, which `cid:` links refer to (RFC 2392), otherwise Content-Location (RFC 2557). */
  contentId: string | null;
  facts: AttachmentFacts;
  /** IMAP's section number in the mail. Absent in mail that is composed here. */
  section?: string;
  content: Content;
}

/** Attachment content that is already in a file. */
export interface DraftContent {
  /** Bytes. */
  size: number;
  /** Turns the file into the blob of this key. */
  adopt: (key: string) => Promise<void>;
}

/**
 * Text in some character sets grows to three times the size of the mail. Bodies above the size
 * limit of a mail are dropped.
 */
const MAX_BODY_BYTES = 26_214_400;
const TOO_LONG = 'the text is too long';

/** Bytes of the mail that are searched if only its header is read, and kept of a field of it. */
export const HEADER_SEARCH_BYTES = 256 * 1024;
const HEADER_FIELD_BYTES = 8 * 1024;

/**
 * The parser is loaded with the first mail: with its character sets it takes several MB, and a web
 * process parses mail only when asked to.
 */
const parser = loadOnce(() => import('./read-mime.ts'));

async function parseMime(raw: Buffer, limits: ParseLimits): Promise<ParsedMime> {
  const { parseMime: parse } = await parser.get();
  return parse(raw, limits);
}

/** Never rejects because of the content of a mail. */
export async function parseMail(raw: Buffer): Promise<Mail> {
  try {
    const parsed = await parseMime(raw, FULL_LIMITS);
    const mail = await complete(parsed);
    return isTooLong(mail) ? { ...mail, text: null, html: null, parseError: TOO_LONG } : mail;
  } catch (error) {
    return headersOnly(raw, errorText(error));
  }
}

/** Parses within {@link INLINE_LIMITS}; null if the mail exceeds them. */
export async function parseInline(raw: Buffer): Promise<Mail | null> {
  try {
    const parsed = await parseMime(raw, INLINE_LIMITS);
    return parsed.fault === null ? await complete(parsed) : null;
  } catch {
    return null;
  }
}

/** Parses only the headers. `reason` becomes the parseError. */
export async function headersOnly(raw: Buffer, reason: string): Promise<Mail> {
  try {
    const { parseHeader } = await parser.get();
    const head = raw.subarray(0, HEADER_SEARCH_BYTES);
    return toMail(await parseHeader(head, HEADER_FIELD_BYTES), reason);
  } catch {
    return unreadable(reason);
  }
}

/** The mail without its body, with the reason as parseError. */
export function withoutBody(mail: Mail<unknown>, reason: string): Mail {
  const nothing = { text: null, html: null, attachments: [], report: null, event: null };
  return { ...mail, ...nothing, parseError: reason };
}

/** A mail without content, for which only the envelope and the raw source are stored. */
export function unreadable(reason: string): Mail {
  return toMail(nothingReadable(), reason);
}

function isTooLong({ text, html }: Mail): boolean {
  return Buffer.byteLength(text ?? '') + Buffer.byteLength(html ?? '') > MAX_BODY_BYTES;
}

function nothingReadable(): ParsedMime {
  const empty = { headers: new Map(), headerLines: [], text: '', html: '', htmlLocation: '' };
  return { ...empty, attachments: [], report: null, fault: null, defect: null };
}

/** With what is read from the content of parts. */
async function complete(parsed: ParsedMime): Promise<Mail> {
  const reason = parsed.fault ?? parsed.defect;
  if (parsed.attachments.length === 0) return toMail(parsed, reason);
  const [mail, event] = await Promise.all([named(parsed), readCalendarEvent(parsed.attachments)]);
  return { ...toMail(mail, reason), event };
}

/** Gives names to attachments without one. */
async function named(parsed: ParsedMime): Promise<ParsedMime> {
  const { attachments } = parsed;
  if (attachments.every(({ filename }) => filename)) return parsed;
  const names = await attachmentNames(attachments, subjectOf);
  return {
    ...parsed,
    attachments: attachments.map((each, n) => ({ ...each, filename: names[n] })),
  };
}

/** Empty if it cannot be read. Other fields are not: they can have many addresses. */
async function subjectOf(raw: Buffer): Promise<string> {
  try {
    const { parseHeader } = await parser.get();
    const head = raw.subarray(0, HEADER_SEARCH_BYTES);
    const { headers } = await parseHeader(head, HEADER_FIELD_BYTES, isSubject);
    return wellFormed((headers.get('subject') as string | undefined) ?? '');
  } catch {
    return '';
  }
}

const isSubject = (name: string) => /^(?:subject|content-type)$/i.test(name);

function toMail(parsed: ParsedMime, parseError: string | null): Mail {
  const { headers } = parsed;
  const people = peopleIn(headers);
  const [sender] = people.get('from') ?? [];
  const shown = urlsOfParts(parsed.html, parsed.htmlLocation, parsed.attachments);
  return {
    from: sender?.address
      ? { address: wellFormed(sender.address), name: orNull(sender.name) }
      : null,
    to: addresses(people.get('to')),
    cc: addresses(people.get('cc')),
    subject: wellFormed((headers.get('subject') as string | undefined) ?? ''),
    messageIdHeader: orNull(headers.get('message-id') as string | undefined),
    text: orNull(parsed.text),
    html: orNull(parsed.html),
    attachments: parsed.attachments.map((part, n) => toAttachment(part, shown[n] ?? [])),
    facts: readHeaderFacts(people, parsed.headerLines),
    report: parsed.report,
    event: null,
    parseError,
  };
}

function toAttachment(part: ParsedMime['attachments'][number], urls: string[]): MailAttachment {
  const contentId = orNull(part.contentId ?? part.location ?? '');
  const others = urls.filter((url) => contentId === null || !namesIn(url).includes(contentId));
  const facts = readAttachmentFacts(part, urls.length > 0);
  return {
    filename: orNull(part.filename),
    contentType: wellFormed(part.contentType || 'application/octet-stream'),
    contentId,
    facts: others.length > 0 ? { ...facts, urls: others.map(wellFormed) } : facts,
    section: part.section,
    content: part.content,
  };
}

function addresses(people: EmailAddress[] = []): string[] {
  return people.flatMap(({ address }) => (address ? [wellFormed(address)] : []));
}

/**
 * The addresses of each field that has some, including members of groups (RFC 5322 section 3.4), up
 * to a limit.
 */
function peopleIn(headers: Headers): ReadonlyMap<string, EmailAddress[]> {
  const people = new Map<string, EmailAddress[]>();
  for (const name of ADDRESS_FIELDS) {
    const field = headers.get(name) as AddressObject | AddressObject[] | undefined;
    if (field === undefined) continue;
    const found = [field]
      .flat()
      .flatMap(({ value }) => value)
      .flatMap((person) => person.group ?? [person]);
    people.set(name, found.slice(0, MAX_ADDRESSES).map(withLocalAddress));
  }
  return people;
}

/** A user of the machine that sent the mail, as cron and others write it: `root`, `<www-data>`. */
const LOCAL_USER = /^[a-z0-9_][a-z0-9_.+-]*$/;

/** The address parser takes an address without a domain for a name, if no name is beside it. */
function withLocalAddress(person: EmailAddress): EmailAddress {
  const { address, name } = person;
  return !address && LOCAL_USER.test(name) ? { ...person, address: name, name: '' } : person;
}

/** Well-formed text, or null if empty. */
export function orNull(text: string | undefined): string | null {
  return text ? wellFormed(text) : null;
}
