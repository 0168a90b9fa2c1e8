/** HTML in a form in which two writings of the same document are equal. */
import { VOID } from '../../text/elements.ts';
import { readTags } from '../../text/read-tags.ts';

/** Elements whose text is shown as it is written. */
const PREFORMATTED = new Set(['pre', 'textarea', 'style', 'script']);

/**
 * One line for each tag and each piece of text. Names are in lower case, attributes are sorted,
 * whitespace is joined, and comments are left out.
 * @param maskText replaces what is not compared, in text and in values of attributes
 */
export function htmlLines(html: string, maskText: (text: string) => string): string[] {
  const lines: string[] = [];
  let text = '';
  let preformatted = 0;
  const flush = () => {
    const pieces = preformatted > 0 ? text.split(/\r\n|\r|\n/) : [text];
    for (const piece of pieces) {
      const line = maskText(piece.replace(/\s+/g, ' ').trim());
      if (line !== '') lines.push(line);
    }
    text = '';
  };
  readTags(html, {
    opened(name, attributes) {
      flush();
      if (PREFORMATTED.has(name)) preformatted += 1;
      const shown = Object.entries(attributes)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, value]) => ` ${key}="${maskText(value.replace(/\s+/g, ' ').trim())}"`);
      lines.push(`<${name}${shown.join('')}>`);
    },
    text(piece) {
      text += piece;
    },
    closed(name) {
      flush();
      if (PREFORMATTED.has(name)) preformatted -= 1;
      if (!VOID.has(name)) lines.push(`</${name}>`);
    },
  });
  flush();
  return lines;
}
