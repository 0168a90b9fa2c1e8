/** A message as lines that are compared: header fields, text, HTML and attachments. */
import { type StoredContent, extractMail } from '../extract-mail.ts';
import { type HeaderField, headerFields } from '../read-header.ts';
import { htmlLines } from './html-lines.ts';
import { mask, maskMessageIds } from './mask.ts';

/** Characters of each part, and lines of all, that are compared. */
const MAX_PART = 256 * 1024;
const MAX_LINES = 20_000;
const MAX_LINE = 2000;
const MAX_HEADER_BYTES = 64 * 1024;
/** Candidates below this confidence are text. */
const MIN_CONFIDENCE = 0.5;

/** Fields whose values are not compared. */
const MASKED = new Set(['message-id', 'date']);
const WITH_MESSAGE_IDS = new Set(['in-reply-to', 'references', 'content-id', 'resent-message-id']);
/** RFC 2046 section 5.1.1. */
const BOUNDARY = /\b(boundary=)(?:"[^"]*"|[^\s;]+)/i;

/** What is compared of a message. */
export interface Compared extends StoredContent {
  attachments: { name: string; contentType: string; size: number }[];
}

/** The lines of a message, at most the first 20,000. */
export async function comparedLines({ attachments, ...mail }: Compared): Promise<string[]> {
  const { codes } = await extractMail.run(mail);
  const known = codes
    .filter(({ confidence }) => confidence >= MIN_CONFIDENCE)
    .flatMap(({ display, value }) => [display, value]);
  const fields = headerFields(mail.head.subarray(0, MAX_HEADER_BYTES));
  const files = attachments.map(
    ({ name, contentType, size }) => `${name} (${contentType}, ${size} bytes)`,
  );
  const text = (mail.text ?? '').slice(0, MAX_PART).trimEnd();
  const sections: [title: string, lines: string[]][] = [
    ['header', fieldLines(fields, known)],
    [
      'text',
      text === '' ? [] : text.split(/\r\n|\r|\n/).map((line) => mask(line.trimEnd(), known)),
    ],
    ['html', htmlLines((mail.html ?? '').slice(0, MAX_PART), (piece) => mask(piece, known))],
    ['attachments', files],
  ];
  return sections
    .filter(([, lines]) => lines.length > 0)
    .flatMap(([title, lines]) => [`[${title}]`, ...lines, ''])
    .slice(0, MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE));
}

/**
 * The fields in the order of their names, which has no meaning (RFC 5322 section 3.6). Received and
 * what else the way of a mail adds is left out.
 */
function fieldLines(fields: HeaderField[], codes: readonly string[]): string[] {
  const lines = fields
    .map(({ name, value }) => ({ name: name.toLowerCase(), value }))
    .filter(({ name }) => name !== 'received')
    .map(({ name, value }) => ({ name, value: maskedValue(name, value, codes) }));
  // The sort keeps the order of equal names.
  return lines
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ name, value }) => `${name}: ${value}`);
}

function maskedValue(name: string, value: string, codes: readonly string[]): string {
  if (MASKED.has(name)) return '<value>';
  const plain = value.replace(/\s+/g, ' ').replace(BOUNDARY, '$1<value>');
  return mask(WITH_MESSAGE_IDS.has(name) ? maskMessageIds(plain) : plain, codes);
}
