/**
 * Reads a mail. The parser, mailparser, gets a mail that has been brought into one form, without
 * HTML and attachments. It reads the addresses, the fields and the text of that.
 */
import { Readable } from 'node:stream';
import { type HeaderLines, type Headers, MailParser, type MessageText } from 'mailparser';
import { canonicalMail } from './canonical/canonical-mail.ts';
import { readContentFields, shownType } from './canonical/content-fields.ts';
import { readHeaderBlock, withLineFeeds } from './canonical/header-block.ts';
import { hintOf, mailHeader } from './canonical/mail-header.ts';
import { type MimePart, leavesOf, partBytes } from './canonical/part.ts';
import type { Report } from '../../db/schema/mail-facts.ts';
import { readReport } from './facts/report.ts';
import type { ParseLimits } from './parse-limits.ts';
import { NO_BASE, absolute } from './shown-parts.ts';

export interface ParsedMime {
  text: string;
  html: string;
  /** Content-Location of the HTML, or of the multiparts that it is in. */
  htmlLocation: string;
  /** The fields that the parser reads, by name in lower case. */
  headers: Headers;
  /** The fields of the header as they are, in the order of the mail. */
  headerLines: HeaderLines;
  attachments: {
    section: string;
    filename: string | undefined;
    contentType: string;
    /** Content-ID without angle brackets. */
    contentId: string | null;
    /** Content-Location, as it is. */
    location: string | null;
    /** Content-Location of the multiparts that the part is in. */
    base: string;
    disposition: string | null;
    charset: string | null;
    method: string | null;
    description: string | null;
    content: Buffer;
  }[];
  report: Report | null;
  /** The reason if part of the mail was not read. */
  fault: string | null;
  /** What the mail has that cannot be shown; null if nothing. */
  defect: string | null;
}

/**
 * Neither text nor HTML is derived from the other: html-to-text overflows the stack on 15 KB of
 * nested tags, and its result is not used.
 */
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
};

/** The parser processes a piece synchronously, so pieces are small enough to let other work run. */
const PIECE_BYTES = 64 * 1024;

/** @throws if not even the header can be read. */
export async function parseMime(raw: Buffer, limits: ParseLimits): Promise<ParsedMime> {
  const { pieces, html, headerLines, root, attachments, fault, defect } = canonicalMail(
    raw,
    limits,
  );
  return {
    ...(await parse(pieces)),
    html: html.toString().replaceAll('\r\n', '\n'), // as the parser does with text
    htmlLocation: attachments.length === 0 ? NO_BASE : locationOfHtml(root),
    headerLines,
    attachments: attachments.map(attachmentOf),
    report: readReport(root),
    ...{ fault, defect },
  };
}

/**
 * Reads only the displayed fields of the header; the body is not looked at.
 *
 * @param fieldBytes kept of all fields of one name.
 * @param wants true for the names of fields to read; all by default.
 */
export async function parseHeader(
  raw: Buffer,
  fieldBytes: number,
  wants: (name: string) => boolean = () => true,
): Promise<ParsedMime> {
  const { fields } = readHeaderBlock(withLineFeeds(raw), { start: 0, end: raw.length, wants });
  const hint = hintOf(fields, () => [readContentFields(fields, 'text/plain')]);
  const { lines, headerLines } = mailHeader(fields, hint, fieldBytes);
  const parsed = await parse([Buffer.from(`${lines}\r\n`, 'latin1')]);
  const empty = { html: '', htmlLocation: NO_BASE, attachments: [] };
  return { ...parsed, ...empty, headerLines, report: null, fault: null, defect: null };
}

function parse(pieces: Buffer[]): Promise<Pick<ParsedMime, 'headers' | 'text'>> {
  return new Promise((resolve, reject) => {
    const parser = new MailParser(OPTIONS);
    let headers: Headers = new Map();
    let text = '';
    parser.on('headers', (parsed) => (headers = parsed));
    parser.on('data', (data: MessageText) => (text = data.text ?? ''));
    parser.on('error', reject);
    parser.on('end', () => {
      resolve({ headers, text });
    });
    const size = pieces.reduce((bytes, piece) => bytes + piece.length, 0);
    if (size <= PIECE_BYTES) parser.end(Buffer.concat(pieces, size));
    else Readable.from(smaller(pieces)).pipe(parser);
  });
}

function* smaller(pieces: Buffer[]): Generator<Buffer> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += PIECE_BYTES) {
      yield piece.subarray(at, at + PIECE_BYTES);
    }
  }
}

function locationOfHtml(root: MimePart): string {
  return baseOf(leavesOf(root).find(({ type }) => type === 'text/html') ?? null);
}

/** RFC 2557 section 5: the location of a part, seen from those that it is in. */
function baseOf(part: MimePart | null): string {
  if (part === null) return NO_BASE;
  const known = bases.get(part);
  if (known !== undefined) return known;
  const outer = baseOf(part.parent);
  const base = part.location === null ? outer : absolute(part.location, outer);
  bases.set(part, base);
  return base;
}

/** Of the parts that are read: all leaves of a multipart ask for its base. */
const bases = new WeakMap<MimePart, string>();

function attachmentOf(part: MimePart): ParsedMime['attachments'][number] {
  const { section, disposition, charset, description, parameters } = part;
  return {
    section,
    filename: part.filename ?? undefined,
    contentType: shownType(part),
    ...{ contentId: part.contentId, location: part.location, base: baseOf(part.parent) },
    method: parameters.get('method') ?? null,
    ...{ disposition, charset, description },
    content: partBytes(part),
  };
}
