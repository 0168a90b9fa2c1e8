/** RFC 5322 section 2.1.1: the characters of a line. */
const MAX_TEXT = 998;

/** The first 998 UTF-16 code units of a text, as a database and JSON can hold them. */
export function fit(text: string): string {
  return text.slice(0, MAX_TEXT).toWellFormed().split('\0').join('\uFFFD');
}
