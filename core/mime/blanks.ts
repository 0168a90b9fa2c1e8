const BLANKS = ' \t\r\n';

/**
 * Text of a header field, one character per byte, without the whitespace at its ends (RFC 5322
 * section 2.2.2). `trim` would take A0 for a space, which is the last byte of `à` in UTF-8; a
 * pattern would need quadratic time for many blanks.
 */
export function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANKS.includes(text.charAt(start))) start += 1;
  while (end > start && BLANKS.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
