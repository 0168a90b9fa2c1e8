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
import { type MimePart, partBytes } from './canonical/part.ts';
import type { Report } from '../../db/schema/mail-facts.ts';
import { readReport } from './facts/report.ts';
import type { ParseLimits } from './parse-limits.ts';

export interface ParsedMime {
  text: string;
  html: string;
  /** The fields that the parser reads, by name in lower case. */
  headers: Headers;
  /** The fields of the header as they are, in the order of the mail. */
  headerLines: HeaderLines;
  attachments: {
    filename: string | undefined;
    contentType: string;
    /** Content-ID without angle brackets, otherwise Content-Location. */
    contentId: string | undefined;
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
 */
export async function parseHeader(raw: Buffer, fieldBytes: number): Promise<ParsedMime> {
  const { fields } = readHeaderBlock(withLineFeeds(raw), { start: 0, end: raw.length });
  const hint = hintOf(fields, () => [readContentFields(fields, 'text/plain')]);
  const { lines, headerLines } = mailHeader(fields, hint, fieldBytes);
  const parsed = await parse([Buffer.from(`${lines}\r\n`, 'latin1')]);
  const empty = { html: '', attachments: [], report: null, fault: null, defect: null };
  return { ...parsed, ...empty, headerLines };
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

function attachmentOf(part: MimePart): ParsedMime['attachments'][number] {
  const { disposition, charset, description, parameters } = part;
  return {
    filename: part.filename ?? undefined,
    contentType: shownType(part),
    contentId: part.contentId ?? part.location ?? undefined,
    method: parameters.get('method') ?? null,
    ...{ disposition, charset, description },
    content: partBytes(part),
  };
}
