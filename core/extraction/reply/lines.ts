/** The lines of a mail for its reader, with what mail clients mark as quoted. */
import { SPACED, VOID } from '../../text/elements.ts';
import { type HtmlSink, HtmlWalk, type TextStyle } from '../../text/walk-html.ts';

export interface Line {
  /** As the mail has it. */
  text: string;
  /** Without invisible characters and blanks around it. */
  plain: string;
  quoted: boolean;
}

/** In characters. */
const MAX_LENGTH = 256 * 1024;
const LINE_END = /\r\n|\r|\n/;
/** Some clients set the initials of the quoted author before the mark. */
const QUOTED = /^\s{0,3}[A-Z]{0,3}[>＞]/;
/** The attribution of GroupWise, below which lines have no marks. */
export const GROUPWISE = /^>>> .+ >>>$/;
/** Marks of direction, which clients for Hebrew and Arabic add, and zero-width characters. */
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]/g;

/** Attributions and quoted mails, by the names that mail clients give to their elements. */
const QUOTES =
  /(?:^|[\s_-])(?:gmail_attr|moz-cite-prefix|moz-email-headers-table|yahoo_quoted|protonmail_quote|tutanota_quote|zmail_extra|divrplyfwdmsg|olk_src_body_section|ms-outlook-mobile-reference-message|mail-editor-reference-message-container)(?:$|[\s_-])/i;
/** After this element, all is quoted. */
const APPENDED = /^(?:divrplyfwdmsg|appendonsend)$/i;
const SIGNATURES =
  /(?:^|[\s_-])(?:gmail_signature|moz-signature|protonmail_signature_block|ms-outlook-mobile-signature|signature)(?:$|[\s_-])/i;

/** Whether the rest of a text or of HTML of this length is not read. */
export function isTooLong({ length }: string): boolean {
  return length > MAX_LENGTH;
}

export function linesOfText(text: string): Line[] {
  return text
    .slice(0, MAX_LENGTH)
    .split(LINE_END)
    .map((line) => lineOf(line, QUOTED.test(line) && !GROUPWISE.test(line)));
}

/** Text of elements that hold a signature is left out. */
export function linesOfHtml(html: string): Line[] {
  const reader = new Reader();
  const walk = new HtmlWalk(html, reader, MAX_LENGTH);
  while (walk.next());
  return reader.finish();
}

function lineOf(text: string, quoted: boolean): Line {
  return { text, plain: text.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim(), quoted };
}

interface Open {
  name: string;
  quoted: boolean;
  signature: boolean;
}

class Reader implements HtmlSink {
  readonly #lines: Line[] = [];
  readonly #open: Open[] = [];
  #text: string[] = [];
  /** That of the first text in the line; null before it. */
  #isQuoted: boolean | null = null;
  #restIsQuoted = false;
  #isSpaced = false;

  opened(name: string, { class: names = '', id = '' }: Record<string, string>): void {
    if (APPENDED.test(id)) this.#restIsQuoted = true;
    if (VOID.has(name)) return;
    const label = `${names} ${id}`.slice(0, 1024);
    const outer = this.#open.at(-1);
    const quoted = (outer?.quoted ?? false) || name === 'blockquote' || QUOTES.test(label);
    this.#open.push({ name, quoted, signature: outer?.signature || SIGNATURES.test(label) });
  }

  closed(name: string): void {
    if (this.#open.at(-1)?.name === name) this.#open.pop();
  }

  text(text: string, { hidden }: TextStyle): void {
    const { quoted = false, signature = false } = this.#open.at(-1) ?? {};
    if (hidden || signature) return;
    if (/\S/.test(text)) this.#isQuoted ??= this.#restIsQuoted || quoted;
    this.#text.push(text);
  }

  lineEnd(element: string): void {
    const isWritten = this.#write();
    if (SPACED.has(element) || (element === 'br' && !isWritten)) this.#isSpaced = true;
  }

  finish(): Line[] {
    this.#write();
    return this.#lines;
  }

  #write(): boolean {
    if (this.#text.length === 0) return false;
    const text = this.#text.join('').replace(/\s+/g, ' ').trim();
    const line = lineOf(text, this.#isQuoted ?? false);
    this.#text = [];
    this.#isQuoted = null;
    if (line.plain === '') return false;
    if (this.#isSpaced && this.#lines.length > 0) this.#lines.push(lineOf('', false));
    this.#isSpaced = false;
    this.#lines.push(line);
    return true;
  }
}
