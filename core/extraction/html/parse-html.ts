/**
 * The lines and the links of an HTML part. Hidden text is left out, except above the first visible
 * text.
 */
import { readBase } from '../../text/base-url.ts';
import type { Block } from '../block.ts';
import { type HtmlSink, HtmlWalk, type TextStyle } from '../../text/walk-html.ts';
import { normalizeLine } from '../normalize.ts';
import { BlockBuilder } from './blocks.ts';

export interface Anchor {
  url: string;
  text: string;
  /** Index of the block in which the anchor ends. */
  block: number;
  /** Emphasized, or alone in its block. */
  prominent: boolean;
  hidden: boolean;
}

export interface HtmlContent {
  blocks: Block[];
  anchors: Anchor[];
  /** What relative links refer to; null without a `base` element. */
  base: URL | null;
  /** Content of `application/ld+json` scripts. */
  jsonLd: string[];
  truncated: boolean;
}

interface OpenAnchor {
  url: string;
  text: string;
  emphasized: boolean;
  hidden: boolean;
}

/** In characters. */
const MAX_LENGTH = 1024 * 1024;
const MAX_ANCHORS = 1000;
const MAX_ANCHOR_TEXT = 300;
const MAX_JSON_LD = { scripts: 10, length: 64 * 1024 };

export function readHtml(html: string): HtmlContent {
  const reader = new Reader();
  const walk = new HtmlWalk(html, reader, MAX_LENGTH);
  while (walk.next());
  const { anchors, jsonLd } = reader;
  const base = reader.base === undefined ? null : readBase(reader.base);
  const truncated = html.length > MAX_LENGTH || anchors.length >= MAX_ANCHORS;
  return { blocks: reader.builder.finish(), anchors, base, jsonLd, truncated };
}

class Reader implements HtmlSink {
  readonly builder = new BlockBuilder();
  readonly anchors: Anchor[] = [];
  readonly jsonLd: string[] = [];
  /** Of the first `base` element with `href`. */
  base: string | undefined;
  #anchor: OpenAnchor | null = null;
  #script: string | null = null;

  lineEnd(): void {
    this.builder.end();
  }

  opened(name: string, attributes: Record<string, string>, { hidden }: TextStyle): void {
    const { href, alt = '', type } = attributes;
    if (name === 'base') this.base ??= href;
    if (name === 'area' && href) this.#add(href, alt);
    if (name === 'img' && this.#anchor) this.#anchor.text += ` ${alt}`;
    if (name === 'a' && href !== undefined) {
      this.#anchor = { url: href, text: '', emphasized: isButton(attributes), hidden };
    }
    if (name === 'script' && type?.toLowerCase() === 'application/ld+json') this.#script = '';
  }

  text(text: string, style: TextStyle): void {
    this.builder.add(text, style);
    if (!this.#anchor) return;
    if (this.#anchor.text.length < MAX_ANCHOR_TEXT) this.#anchor.text += text;
    if (style.emphasized) this.#anchor.emphasized = true;
  }

  silentText(text: string): void {
    if (this.#script === null) return;
    if (this.#script.length < MAX_JSON_LD.length) this.#script += text;
  }

  closed(name: string): void {
    if (name === 'a' && this.#anchor) this.#endAnchor(this.#anchor);
    if (name === 'script' && this.#script !== null) {
      if (this.jsonLd.length < MAX_JSON_LD.scripts) this.jsonLd.push(this.#script);
      this.#script = null;
    }
  }

  #endAnchor({ url, text, emphasized, hidden }: OpenAnchor): void {
    this.#anchor = null;
    this.#add(url, text, emphasized, hidden);
  }

  #add(url: string, text: string, prominent = false, hidden = false): void {
    if (this.anchors.length >= MAX_ANCHORS) return;
    const plain = normalizeLine(text).trim().slice(0, MAX_ANCHOR_TEXT);
    this.anchors.push({ url, text: plain, block: this.builder.position, prominent, hidden });
  }
}

/** A link that looks like a button: with a background color, or padding. */
function isButton({ style = '', class: name = '' }: Record<string, string>): boolean {
  return (
    /background|padding/i.test(style.slice(0, 4096)) ||
    /\b(?:btn|button|cta)/i.test(name.slice(0, 256))
  );
}
