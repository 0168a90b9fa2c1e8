/**
 * Extracts the displayed header fields of a mail that exceeded a limit of the parser. It only
 * searches for line ends, so its time is linear in the bytes searched, and the result is short
 * enough to parse.
 */
import { FACT_FIELDS } from './facts/header-facts.ts';

/** Bytes of the mail that are searched. */
export const HEADER_SEARCH_BYTES = 256 * 1024;

/** Longer fields are truncated. */
const FIELD_BYTES = 8 * 1024;

const SHOWN_FIELD = new RegExp(
  `^(?:from|to|cc|subject|message-id|${FACT_FIELDS.join('|')})[ \\t]*:`,
  'i',
);
const FOLDED = /^[ \t]/;
const CRLF = '\r\n';

/** Returns a header block with at most one field of each name, and no body. */
export function extractHeaders(raw: Buffer): Buffer {
  const fields = new Map<string, string>();
  let name = '';
  for (const line of raw.toString('latin1', 0, HEADER_SEARCH_BYTES).split(CRLF)) {
    if (line === '') break;
    if (!FOLDED.test(line)) {
      name = SHOWN_FIELD.test(line) ? line.slice(0, line.indexOf(':')).trim().toLowerCase() : '';
      if (fields.has(name)) name = '';
    }
    if (name === '') continue;
    const soFar = fields.get(name);
    const field = soFar === undefined ? line : `${soFar}${CRLF}${line}`;
    if (field.length <= FIELD_BYTES) {
      fields.set(name, field);
    } else {
      fields.set(name, field.slice(0, FIELD_BYTES));
      name = '';
    }
  }
  return Buffer.from(`${[...fields.values(), ''].join(CRLF)}${CRLF}`, 'latin1');
}
