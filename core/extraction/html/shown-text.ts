/**
 * The text of an HTML part as a reader sees it, with a count of what is hidden. Other than the blocks
 * for extraction, it keeps every character of the visible text.
 */
import { Parser } from 'htmlparser2';
import { INLINE, MAX_DEPTH, SILENT, VOID } from './read-html.js';
import { lookOf } from './style.js';

export interface ShownText {
  /** Blocks and table cells are lines. White space is joined. */
  text: string;
  /** Characters of hidden elements, with white space joined. */
  hiddenCharacters: number;
  /** Whether the part was cut at a limit. */
  truncated: boolean;
}

interface Open {
  name: string;
  hidden: boolean;
  zeroSize: boolean;
  silent: boolean;
}

/** In characters. */
const MAX_LENGTH = 1024 * 1024;
const CHUNK = 16 * 1024;
const ROOT: Open = { name: '', hidden: false, zeroSize: false, silent: false };

/** @param html of any length; it is read up to 1,048,576 characters. */
export function shownText(html: string): ShownText {
  const reader = new Reader();
  const parser = new Parser(reader);
  const length = Math.min(html.length, MAX_LENGTH);
  for (let at = 0; at < length && !reader.tooDeep; at += CHUNK) {
    parser.write(html.slice(at, Math.min(at + CHUNK, length)));
  }
  if (!reader.tooDeep) parser.end();
  return {
    text: tidy(reader.pieces.join('')),
    hiddenCharacters: reader.hiddenCharacters,
    truncated: html.length > MAX_LENGTH || reader.tooDeep,
  };
}

class Reader {
  readonly pieces: string[] = [];
  hiddenCharacters = 0;
  tooDeep = false;
  readonly #open: Open[] = [];

  onopentag(name: string, attributes: Record<string, string>): void {
    this.#endLine(name);
    if (VOID.has(name)) return;
    const outer = this.#top;
    const look = lookOf(name, attributes);
    this.#open.push({
      name,
      hidden: outer.hidden || look.hidden,
      zeroSize: look.sized ? false : outer.zeroSize || look.zeroSize,
      silent: outer.silent || SILENT.has(name),
    });
    if (this.#open.length > MAX_DEPTH) this.tooDeep = true;
  }

  ontext(text: string): void {
    const { silent, hidden, zeroSize } = this.#top;
    if (silent) return;
    const plain = text.replace(/\s+/g, ' ');
    if (hidden || zeroSize) this.hiddenCharacters += plain.trim().length;
    else this.pieces.push(plain);
  }

  onclosetag(name: string): void {
    if (name !== 'br') this.#endLine(name);
    if (this.#open.at(-1)?.name === name) this.#open.pop();
  }

  #endLine(name: string): void {
    if (!INLINE.has(name)) this.pieces.push('\n');
  }

  get #top(): Open {
    return this.#open.at(-1) ?? ROOT;
  }
}

function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}
