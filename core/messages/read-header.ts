/** Reads header fields: unfolded, and with encoded words (RFC 2047) decoded. */

export interface HeaderField {
  /** In the original spelling. */
  name: string;
  value: string;
}

/** RFC 5322 section 2.2; obsolete syntax allows whitespace before the colon. */
const FIELD = /^([\x21-\x39\x3b-\x7e]+)[ \t]*:(.*)$/s;
const FOLDED = /^[ \t]/;
/** RFC 2047 section 2, with the language of RFC 2231 section 5. */
const WORD = /=\?([^?*\s]+)(?:\*[^?\s]*)?\?([BbQq])\?([^?\s]*)\?=/g;
/** Whitespace between two encoded words has no meaning (RFC 2047 section 6.2). */
const BETWEEN_WORDS = /(\?=)[ \t]+(?==\?[^?\s]+\?[BbQq]\?[^?\s]*\?=)/g;

/**
 * The fields of a mail in order, up to the first empty line. Lines that are not fields are omitted.
 */
export function headerFields(raw: Buffer): HeaderField[] {
  const fields: HeaderField[] = [];
  let lines: string[] = [];
  const end = () => {
    const [, name, value] = FIELD.exec(lines.join('')) ?? [];
    if (name !== undefined && value !== undefined) fields.push({ name, value: readable(value) });
    lines = [];
  };
  for (const line of headerLines(raw)) {
    if (!FOLDED.test(line)) end();
    lines.push(line);
  }
  end();
  return fields;
}

function* headerLines(raw: Buffer): Generator<string> {
  for (let at = 0; at < raw.length;) {
    const lf = raw.indexOf(0x0a, at);
    const end = lf < 0 ? raw.length : lf;
    const line = raw.toString('latin1', at, end > at && raw[end - 1] === 0x0d ? end - 1 : end);
    if (line === '') return;
    yield line;
    at = end + 1;
  }
}

/** @param value one character per byte. */
function readable(value: string): string {
  return decodeBytes(value.trim())
    .replace(BETWEEN_WORDS, '$1')
    .replace(/(?:=\?[^?\s]+\?[BbQq]\?[^?\s]*\?=)+/g, (run) => decodeRun(run) ?? run);
}

/**
 * Decodes adjacent words of one character set together, because a character can be split between
 * them.
 */
function decodeRun(run: string): string | null {
  let text = '';
  let bytes: Buffer[] = [];
  let charset = '';
  const flush = (): boolean => {
    const decoded = bytes.length === 0 ? '' : decode(charset, Buffer.concat(bytes));
    bytes = [];
    if (decoded === null) return false;
    text += decoded;
    return true;
  };
  for (const [, name = '', encoding = '', content = ''] of run.matchAll(WORD)) {
    if (name.toLowerCase() !== charset && !flush()) return null;
    charset = name.toLowerCase();
    bytes.push(encoding.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : fromQ(content));
  }
  return flush() ? text : null;
}

function decode(charset: string, bytes: Buffer): string | null {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return null; // unknown character set
  }
}

/** RFC 2047 section 4.2. */
function fromQ(content: string): Buffer {
  const text = content
    .replaceAll('_', ' ')
    .replace(/=([0-9A-Fa-f]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(text, 'latin1');
}

/** Raw 8-bit bytes are UTF-8 (RFC 6532) if they are valid UTF-8, otherwise windows-1252. */
function decodeBytes(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
