/** The start of a mail as a list shows it. */
import { joinSpaces } from './characters.ts';
import { type HtmlSink, HtmlWalk, type TextStyle } from './walk-html.ts';

/** Code points. */
const LENGTH = 200;
/**
 * What is read of a mail, so that hostile mail costs no more than a long one: characters of a part,
 * and of HTML also start tags and characters of text. A long style sheet takes little time.
 */
const MAX_READ = 128 * 1024;
const MAX_TAGS = 5000;
const MAX_SHOWN = 16 * 1024;
/** Characters of a text part that are looked at first; most previews need no more. */
const FIRST_LOOK = 400;
/** Whitespace, invisible characters, and the second half of characters that have two. */
const UNCOUNTED = /[\s\p{Cc}\p{Cf}\u115f\u1160\udc00-\udfff]|\u034f|\u17b4|\u17b5/u;
const SURROGATE = /[\ud800-\udfff]/;

/**
 * Up to 200 code points of the visible text, whitespace joined: of the text part, or of the HTML
 * if the text part is missing or blank. Empty for a mail without text.
 */
export function previewOf({ text, html }: { text: string | null; html: string | null }): string {
  const start = text?.slice(0, MAX_READ) ?? null;
  const shown = readableText({ text: start, html }, (page) => ({ preview: ofHtml(page) }));
  return typeof shown === 'string' ? ofText(shown) : shown.preview;
}

function ofText(text: string): string {
  for (let length = FIRST_LOOK; ; length *= 4) {
    const joined = joinSpaces(text.slice(0, length));
    if (length >= text.length || isTooLong(joined)) return cut(joined);
  }
}

function ofHtml(html: string): string {
  const beginning = new Beginning();
  const walk = new HtmlWalk(html, beginning, MAX_READ);
  while (walk.next());
  return cut(joinSpaces(beginning.pieces.join('')));
}

/** Collects text until there is enough of it. */
class Beginning implements HtmlSink {
  readonly pieces: string[] = [];
  #counted = 0;
  #tags = 0;
  #shown = 0;

  opened(): void {
    this.#tags += 1;
  }

  text(text: string, { hidden }: TextStyle): void {
    if (hidden) return;
    this.#shown += text.length;
    let at = 0;
    for (; at < text.length && this.#counted <= LENGTH; at++) {
      if (counts(text, at)) this.#counted += 1;
    }
    this.pieces.push(at < text.length ? text.slice(0, at + 1) : text);
  }

  lineEnd(): void {
    this.pieces.push(' ');
  }

  isDone(): boolean {
    return this.#counted > LENGTH || this.#tags > MAX_TAGS || this.#shown > MAX_SHOWN;
  }
}

function counts(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 0x7f ? code > 0x20 : !UNCOUNTED.test(text.charAt(at));
}

function isTooLong(text: string): boolean {
  return endOf(text) < text.length;
}

function cut(text: string): string {
  return text.slice(0, endOf(text)).trimEnd();
}

/** Where the preview ends. */
function endOf(text: string): number {
  const start = text.slice(0, LENGTH);
  if (text.length <= LENGTH || !SURROGATE.test(start)) return start.length;
  return Array.from(text.slice(0, 2 * LENGTH))
    .slice(0, LENGTH)
    .join('').length;
}

const PRINTABLE_ASCII = /[!-~]/;

/**
 * The text part as it was sent. Of a mail whose text part is missing or blank (whitespace and
 * invisible characters only), the text of its HTML by `ofHtml`. Empty for a mail without text.
 */
export function readableText<Text>(
  { text, html }: { text: string | null; html: string | null },
  ofHtml: (html: string) => Text,
): Text | string {
  return html === null || (text !== null && !isBlank(text)) ? (text ?? '') : ofHtml(html);
}

function isBlank(text: string): boolean {
  return !PRINTABLE_ASCII.test(text) && joinSpaces(text) === '';
}
