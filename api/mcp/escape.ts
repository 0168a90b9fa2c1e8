/**
 * Writes a sender's words so that they cannot act on whatever shows or reads them: no line break,
 * no invisible character, no Markdown or HTML link and no picture.
 */

/**
 * Characters without a shape of their own (controls, zero-width, bidirectional, tag and private-use
 * characters, variation selectors), brackets of Markdown and HTML, and what makes a bare URL a
 * link.
 */
const UNSAFE =
  /["\\]|[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|[[\]<>`]|:(?=\/\/)|(?<=www)\./giu;

/** The words without quotes around them; `\u{...}` names a character by its code point. */
export function escapeWords(words: string): string {
  return words.replace(UNSAFE, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    if (character === '\t') return '\\t';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/**
 * The longest start of the words that has at most `most` characters once it is escaped.
 * @returns the escaped start, and its length before it was escaped
 */
export function escapeStart(words: string, most: number): { escaped: string; taken: number } {
  let start = words.slice(0, most);
  for (;;) {
    if (/[\ud800-\udbff]$/.test(start) && start.length < words.length) start = start.slice(0, -1);
    const escaped = escapeWords(start);
    const excess = escaped.length - most;
    if (excess <= 0) return { escaped, taken: start.length };
    // One character becomes 10 at most.
    start = start.slice(0, -Math.ceil(excess / 10));
  }
}
