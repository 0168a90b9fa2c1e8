/**
 * The text of HTML as a reader sees it, with a count of what is hidden. Other than the visible
 * text, it keeps invisible characters.
 */
import { type HtmlSink, HtmlWalk, type TextStyle } from './walk-html.ts';

export interface ShownText {
  /** Blocks and table cells are lines. Whitespace is joined. */
  text: string;
  /** Characters of hidden elements, with whitespace joined. */
  hiddenCharacters: number;
  /** Whether the HTML is longer than what is read. */
  truncated: boolean;
}

/** In characters. */
const MAX_LENGTH = 1024 * 1024;

/** @param html of any length; it is read up to 1,048,576 characters. */
export function shownText(html: string): ShownText {
  const shown = new Shown();
  const walk = new HtmlWalk(html, shown, MAX_LENGTH);
  while (walk.next());
  return {
    text: tidy(shown.pieces.join('')),
    hiddenCharacters: shown.hiddenCharacters,
    truncated: html.length > MAX_LENGTH,
  };
}

class Shown implements HtmlSink {
  readonly pieces: string[] = [];
  hiddenCharacters = 0;

  text(text: string, { hidden }: TextStyle): void {
    const plain = text.replace(/\s+/g, ' ');
    if (hidden) this.hiddenCharacters += plain.trim().length;
    else this.pieces.push(plain);
  }

  lineEnd(): void {
    this.pieces.push('\n');
  }
}

function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}
