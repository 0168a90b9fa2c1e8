/**
 * The text of HTML as a reader sees it. Paragraphs, table cells and other blocks are lines of their
 * own. Hidden elements, pictures and the targets of links are left out.
 */
import { removeInvisible, joinSpaces } from './characters.ts';
import { SPACED } from './elements.ts';
import { type HtmlSink, HtmlWalk, type TextStyle } from './walk-html.ts';

const LINE_END = /\r\n|\r|\n/;

/** @param maxLength characters of HTML that are read */
export function visibleText(html: string, maxLength?: number): string {
  const lines = new VisibleLines();
  const walk = new HtmlWalk(html, lines, maxLength);
  while (walk.next());
  return lines.finish();
}

/** Collects the lines of {@link visibleText}. */
export class VisibleLines implements HtmlSink {
  #text = '';
  #line: string[] = [];
  #isPreformatted = false;
  /** Whether an empty line comes before the next line. */
  #isSpaced = false;

  text(text: string, { hidden, preformatted }: TextStyle): void {
    if (hidden) return;
    if (!preformatted) {
      this.#line.push(text);
      return;
    }
    for (const [n, line] of text.split(LINE_END).entries()) {
      if (n > 0) this.lineEnd('br');
      this.#isPreformatted = true;
      this.#line.push(line);
    }
  }

  lineEnd(element: string): void {
    const isWritten = this.#write();
    if (SPACED.has(element) || (element === 'br' && !isWritten)) this.#isSpaced = true;
  }

  finish(): string {
    this.#write();
    return this.#text;
  }

  /** @returns false for a line without visible text. */
  #write(): boolean {
    if (this.#line.length === 0) return false;
    const whole = this.#line.join('');
    const line = this.#isPreformatted ? removeInvisible(whole).trimEnd() : joinSpaces(whole);
    this.#line = [];
    this.#isPreformatted = false;
    if (line === '') return false;
    if (this.#text !== '') this.#text += this.#isSpaced ? '\n\n' : '\n';
    this.#text += line;
    this.#isSpaced = false;
    return true;
  }
}
