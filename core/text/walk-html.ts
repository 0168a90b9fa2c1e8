/**
 * Reads HTML as a stream of tags and tells a sink what a reader sees of it. No tree is built, so
 * hostile mail takes no longer than other mail of its length.
 */
import { Parser } from 'htmlparser2';
import { INLINE, RAW, SILENT, VOID } from './elements.ts';
import { type ElementStyle, StyleReader } from './element-style.ts';
import { MAX_DEPTH } from './read-tags.ts';

/** How the text at a place of the HTML is shown. */
export interface TextStyle {
  readonly hidden: boolean;
  readonly emphasized: boolean;
  /** Part of a quoted mail. */
  readonly quoted: boolean;
  /** Whitespace and line feeds are shown as they are. */
  readonly preformatted: boolean;
}

export interface HtmlSink {
  /** Text with its entities decoded, in pieces of any length. */
  text: (text: string, style: TextStyle) => void;
  /** The start or the end of an element that is not part of a line. */
  lineEnd: (element: string) => void;
  opened?: (element: string, attributes: Record<string, string>, style: TextStyle) => void;
  closed?: (element: string) => void;
  /** Text of a script, style, or other element whose content is not shown. */
  silentText?: (text: string) => void;
  /** Whether the rest of the HTML is not needed. Asked after each start tag and piece of text. */
  isDone?: () => boolean;
}

interface Open extends TextStyle {
  readonly name: string;
  /** Hidden, unless an element inside sets a font size. */
  readonly zeroSize: boolean;
  /** Hidden for another reason than the font size. */
  readonly concealed: boolean;
  readonly silent: boolean;
}

/** In characters. */
const CHUNK = 64 * 1024;
/** Text is joined up to so many characters: the parser gives each stray bracket by itself. */
const JOINED = 4096;
const ROOT: Open = {
  name: '',
  hidden: false,
  zeroSize: false,
  concealed: false,
  emphasized: false,
  quoted: false,
  preformatted: false,
  silent: false,
};

export class HtmlWalk {
  readonly #html: string;
  readonly #sink: HtmlSink;
  readonly #length: number;
  readonly #looks = new StyleReader();
  #at = 0;
  #parser: Parser;
  /** Where the part of the current parser begins. */
  #start = 0;
  #open: Open[] = [];
  #text = '';
  #root = ROOT;
  #isTooDeep = false;
  #isDone = false;

  /** @param maxLength characters that are read. */
  constructor(html: string, sink: HtmlSink, maxLength = Infinity) {
    this.#html = html;
    this.#sink = sink;
    this.#length = Math.min(html.length, maxLength);
    this.#parser = new Parser(this);
  }

  /** Reads up to 64 KiB characters. @returns whether there is more to read. */
  next(): boolean {
    const end = Math.min(this.#at + CHUNK, this.#length);
    if (!this.#isDone) this.#parser.write(this.#html.slice(this.#at, end));
    this.#giveText();
    return !this.#isDone && this.#goOn(end);
  }

  onopentag(name: string, attributes: Record<string, string>, isImplied: boolean): void {
    if (!this.#giveText()) return;
    const sink = this.#sink;
    if (!INLINE.has(name)) sink.lineEnd(name);
    const outer = this.#top;
    if (VOID.has(name)) {
      sink.opened?.(name, attributes, outer);
      return;
    }
    const opened = open(name, attributes, this.#looks.of(name, attributes), outer);
    this.#open.push(opened);
    sink.opened?.(name, attributes, opened);
    this.#stopIfDone();
    if (this.#open.length > MAX_DEPTH && !isImplied && !RAW.has(name)) {
      this.#isTooDeep = true;
      this.#parser.pause();
    }
  }

  ontext(text: string): void {
    this.#text += text;
    if (this.#text.length > JOINED) this.#giveText();
  }

  onclosetag(name: string): void {
    if (!this.#giveText()) return;
    this.#sink.closed?.(name);
    if (!INLINE.has(name) && name !== 'br') this.#sink.lineEnd(name);
    if (this.#open.at(-1)?.name === name) this.#open.pop();
  }

  /** @returns whether there is more to read */
  #giveText(): boolean {
    const [text, top] = [this.#text, this.#top];
    this.#text = '';
    if (text === '' || this.#isDone) return !this.#isDone;
    if (top.silent) this.#sink.silentText?.(text);
    else this.#sink.text(text, top);
    this.#stopIfDone();
    return !this.#isDone;
  }

  #stopIfDone(): void {
    if (this.#sink.isDone?.() !== true) return;
    this.#isDone = true;
    this.#parser.pause();
  }

  get #top(): Open {
    return this.#open.at(-1) ?? this.#root;
  }

  #goOn(end: number): boolean {
    this.#at = end;
    if (this.#isTooDeep) this.#continueFlat();
    else if (end === this.#length) {
      this.#parser.end();
      this.#giveText();
      this.#isDone = true;
    }
    return !this.#isDone;
  }

  /** Continues after the last start tag, inside elements that do not end. */
  #continueFlat(): void {
    this.#at = this.#start + this.#parser.endIndex + 1;
    this.#start = this.#at;
    this.#root = this.#top;
    this.#open = [];
    this.#isTooDeep = false;
    this.#parser = new Parser(this);
  }
}

function open(
  name: string,
  attributes: Record<string, string>,
  look: ElementStyle,
  outer: Open,
): Open {
  const concealed = outer.concealed || look.hidden;
  const zeroSize = look.sized ? false : outer.zeroSize || look.zeroSize;
  return {
    name,
    concealed,
    zeroSize,
    hidden: concealed || zeroSize,
    emphasized: outer.emphasized || look.emphasized,
    quoted: outer.quoted || name === 'blockquote' || (attributes['class'] ?? '').includes('_quote'),
    preformatted: look.preformatted ?? outer.preformatted,
    silent: outer.silent || SILENT.has(name),
  };
}
