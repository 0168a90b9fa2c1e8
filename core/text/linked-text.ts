/** The text of HTML as a reader sees it, with the targets of links behind their texts. */
import { joinSpaces } from './characters.ts';
import { VisibleLines } from './visible-text.ts';
import { HtmlWalk, type TextStyle } from './walk-html.ts';

/** A target that is the text of its link itself is not repeated. */
export function linkedText(html: string): string {
  const lines = new LinkedLines();
  const walk = new HtmlWalk(html, lines);
  while (walk.next());
  return lines.finish();
}

const SHOWN: TextStyle = { hidden: false, emphasized: false, quoted: false, preformatted: false };

class LinkedLines extends VisibleLines {
  /** Of the open link; empty without one. */
  #target = '';
  /** The start of its text, as long as is compared. */
  #label = '';

  override text(text: string, style: TextStyle): void {
    super.text(text, style);
    if (this.#label.length <= this.#target.length) {
      const more = this.#label === '' ? text.trimStart() : text;
      this.#label = (this.#label + more).slice(0, this.#target.length + 1);
    }
  }

  opened(element: string, { href = '' }: Record<string, string>, { hidden }: TextStyle): void {
    if (element !== 'a') return;
    this.#target = hidden ? '' : href.trim();
    this.#label = '';
  }

  closed(element: string): void {
    if (element !== 'a') return;
    const isShown = this.#target === '' || joinSpaces(this.#label) === this.#target;
    if (!isShown) super.text(` ( ${this.#target} )`, SHOWN);
    this.#target = '';
  }
}
