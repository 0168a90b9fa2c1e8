/** Comments of structured header fields (RFC 5322 section 3.2.2). */

const SPECIAL = /[()<>"\\]/g;

/**
 * Replaces each comment by a space. Parentheses in quoted strings and in angle brackets belong to
 * no comment. A comment without an end is the rest.
 */
export function withoutOuterComments(value: string): string {
  if (!value.includes('(')) return value;
  let result = '';
  let copied = 0;
  let depth = 0;
  let closer = '';
  let escapedAt = -1;
  for (const { 0: special, index } of value.matchAll(SPECIAL)) {
    if (index === escapedAt) continue;
    if (special === '\\') {
      escapedAt = index + 1;
    } else if (depth > 0) {
      depth += special === '(' ? 1 : special === ')' ? -1 : 0;
      if (depth === 0) copied = index + 1;
    } else if (closer !== '') {
      if (special === closer) closer = '';
    } else if (special === '(') {
      result += `${value.slice(copied, index)} `;
      depth = 1;
    } else {
      closer = { '"': '"', '<': '>' }[special] ?? '';
    }
  }
  return depth > 0 ? result : result + value.slice(copied);
}
