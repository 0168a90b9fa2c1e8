/**
 * The few header fields a message shows, cut out of a mail that the parser is to be spared. It is cut by
 * looking for line ends alone, so that no mail can make it slow; what is cut is short enough to parse.
 */

/** How much of the mail is searched. */
export const HEADER_SEARCH_BYTES = 256 * 1024;

/** A longer field loses its end: addresses are parsed in superlinear time. */
const FIELD_BYTES = 8 * 1024;

const ESSENTIAL = /^(?:from|to|cc|subject|message-id)[ \t]*:/i;
const FOLDED = /^[ \t]/;
const CRLF = '\r\n';

/** A header block with no more than one field of each name, and no body. */
export function essentialHeader(raw: Buffer): Buffer {
  const fields = new Map<string, string>();
  let name = '';
  for (const line of raw.toString('latin1', 0, HEADER_SEARCH_BYTES).split(CRLF)) {
    if (line === '') break;
    if (!FOLDED.test(line)) {
      name = ESSENTIAL.test(line) ? line.slice(0, line.indexOf(':')).trim().toLowerCase() : '';
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
