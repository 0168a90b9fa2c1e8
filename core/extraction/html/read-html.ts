/**
 * The text of an HTML part as a reader sees it, and its links. The HTML is read as a stream of tags:
 * no tree is built. Hidden elements and elements without visible content are left out.
 */
import { Parser } from 'htmlparser2';
import type { Block } from '../block.js';
import { normalize } from '../normalize.js';
import { BlockBuilder } from './blocks.js';
import { lookOf } from './style.js';

export interface Anchor {
  url: string;
  text: string;
  /** Index of the block in which the anchor ends. */
  block: number;
  /** Emphasised, or alone in its block. */
  prominent: boolean;
  hidden: boolean;
}

export interface HtmlContent {
  blocks: Block[];
  anchors: Anchor[];
  /** Content of `application/ld+json` scripts. */
  jsonLd: string[];
  truncated: boolean;
}

interface Open {
  name: string;
  hidden: boolean;
  zeroSize: boolean;
  emphasised: boolean;
  quoted: boolean;
  /** Nothing inside is text. */
  silent: boolean;
}

interface OpenAnchor {
  url: string;
  text: string;
  emphasised: boolean;
  hidden: boolean;
}

/** In characters. */
const MAX_LENGTH = 1024 * 1024;
const CHUNK = 16 * 1024;
/** Elements inside each other. The parser looks for the start of each end tag among them. */
export const MAX_DEPTH = 400;
const MAX_ANCHORS = 1000;
const MAX_ANCHOR_TEXT = 300;
const MAX_JSON_LD = { scripts: 10, length: 64 * 1024 };

export const SILENT = new Set([
  'head',
  'style',
  'script',
  'template',
  'title',
  'noscript',
  'object',
  'svg',
  'select',
]);
export const INLINE = new Set([
  'a',
  'abbr',
  'b',
  'bdi',
  'bdo',
  'big',
  'cite',
  'code',
  'em',
  'font',
  'i',
  'img',
  'ins',
  'kbd',
  'label',
  'mark',
  'q',
  's',
  'samp',
  'small',
  'span',
  'strike',
  'strong',
  'sub',
  'sup',
  'tt',
  'u',
  'var',
  'wbr',
  'del',
  'area',
  'map',
  'o:p',
]);
export const VOID = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'wbr',
]);
const ROOT: Open = {
  name: '',
  hidden: false,
  zeroSize: false,
  emphasised: false,
  quoted: false,
  silent: false,
};

export function readHtml(html: string): HtmlContent {
  const reader = new Reader();
  const parser = new Parser(reader);
  const length = Math.min(html.length, MAX_LENGTH);
  let at = 0;
  for (; at < length && !reader.tooDeep; at += CHUNK) {
    parser.write(html.slice(at, Math.min(at + CHUNK, length)));
  }
  if (!reader.tooDeep) parser.end();
  const { anchors, jsonLd } = reader;
  const truncated = html.length > MAX_LENGTH || reader.tooDeep || anchors.length >= MAX_ANCHORS;
  return { blocks: reader.builder.finish(), anchors, jsonLd, truncated };
}

class Reader {
  readonly builder = new BlockBuilder();
  readonly anchors: Anchor[] = [];
  readonly jsonLd: string[] = [];
  tooDeep = false;
  readonly #open: Open[] = [];
  #anchor: OpenAnchor | null = null;
  #script: string | null = null;

  onopentag(name: string, attributes: Record<string, string>): void {
    if (!INLINE.has(name)) this.builder.end();
    if (name === 'area' && attributes['href'])
      this.#add(attributes['href'], attributes['alt'] ?? '');
    if (name === 'img' && this.#anchor) this.#anchor.text += ` ${attributes['alt'] ?? ''}`;
    if (VOID.has(name)) return;
    const outer = this.#top;
    const look = lookOf(name, attributes);
    const opened: Open = {
      name,
      hidden: outer.hidden || look.hidden,
      zeroSize: look.sized ? false : outer.zeroSize || look.zeroSize,
      emphasised: outer.emphasised || look.emphasised,
      quoted:
        outer.quoted || name === 'blockquote' || (attributes['class'] ?? '').includes('_quote'),
      silent: outer.silent || SILENT.has(name),
    };
    this.#open.push(opened);
    if (this.#open.length > MAX_DEPTH) this.tooDeep = true;
    if (name === 'a' && attributes['href'] !== undefined) {
      const url = attributes['href'];
      this.#anchor = { url, text: '', emphasised: isButton(attributes), hidden: isUnseen(opened) };
    }
    if (name === 'script' && attributes['type']?.toLowerCase() === 'application/ld+json') {
      this.#script = '';
    }
  }

  ontext(text: string): void {
    if (this.#script !== null) {
      if (this.#script.length < MAX_JSON_LD.length) this.#script += text;
      return;
    }
    const { silent, quoted, emphasised, ...rest } = this.#top;
    if (silent) return;
    const hidden = isUnseen(rest);
    this.builder.add(text, { hidden, quoted, emphasised });
    if (!this.#anchor) return;
    if (this.#anchor.text.length < MAX_ANCHOR_TEXT) this.#anchor.text += text;
    if (emphasised) this.#anchor.emphasised = true;
  }

  onclosetag(name: string): void {
    if (name === 'a' && this.#anchor) this.#endAnchor(this.#anchor);
    if (name === 'script' && this.#script !== null) {
      if (this.jsonLd.length < MAX_JSON_LD.scripts) this.jsonLd.push(this.#script);
      this.#script = null;
    }
    if (!INLINE.has(name) && name !== 'br') this.builder.end();
    if (this.#open.at(-1)?.name === name) this.#open.pop();
  }

  get #top(): Open {
    return this.#open.at(-1) ?? ROOT;
  }

  #endAnchor({ url, text, emphasised, hidden }: OpenAnchor): void {
    this.#anchor = null;
    this.#add(url, text, emphasised, hidden);
  }

  #add(url: string, text: string, prominent = false, hidden = false): void {
    if (this.anchors.length >= MAX_ANCHORS) return;
    const plain = normalize(text.replaceAll('\n', ' ')).trim().slice(0, MAX_ANCHOR_TEXT);
    this.anchors.push({ url, text: plain, block: this.builder.position, prominent, hidden });
  }
}

function isUnseen({ hidden, zeroSize }: { hidden: boolean; zeroSize: boolean }): boolean {
  return hidden || zeroSize;
}

/** A link that looks like a button: with a background colour, or padding. */
function isButton({ style = '', class: name = '' }: Record<string, string>): boolean {
  return (
    /background|padding/i.test(style.slice(0, 4096)) ||
    /\b(?:btn|button|cta)/i.test(name.slice(0, 256))
  );
}
