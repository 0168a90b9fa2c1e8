/** RFC 5322 section 2.1.1: the characters of a line. */
const MAX_TEXT = 998;

/** The first 998 UTF-16 code units of a text, well-formed. */
export function fit(text: string): string {
  return wellFormed(text.slice(0, MAX_TEXT));
}

/**
 * PostgreSQL rejects U+0000 and JSON cannot represent lone surrogates; the raw source keeps the
 * bytes. For a text of U+0000 only, `replaceAll` takes five times as long and 1 GB of memory.
 */
export function wellFormed(text: string): string {
  return text.toWellFormed().split('\0').join('\uFFFD');
}
