/** Every link of a mail: anchors, areas, actions in JSON-LD, URLs in plain text. */
import { LinkifyIt } from 'linkify-it';
import type { Block } from '../block.ts';
import type { Anchor, HtmlContent } from '../html/parse-html.ts';
import type { Link } from '../types.ts';
import { type LinkContext, contextOf, contextOfText } from './context.ts';
import { jsonLdActions } from './json-ld.ts';

export interface FoundLink {
  /** As the mail has it, without whitespace. */
  url: string;
  parsed: URL;
  text: string;
  source: Link['source'];
  context: LinkContext;
  prominent: boolean;
  hidden: boolean;
}

const MAX_URL = 4096;
const MAX_LINKS = 1000;
/** Longer lines are searched in parts. */
const MAX_LINE = 8192;
const HTTP = /^https?:\/\//i;
/** Absolute, or within the mail: no base applies. */
const OWN_LINK = /^(?:https?:\/\/|#)/i;
const plainText = new LinkifyIt({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

export function collectLinks(html: HtmlContent | null, textBlocks: Block[]): FoundLink[] {
  const fromHtml = html ? [...fromAnchors(html), ...fromBlocks(html.blocks)] : [];
  const all = [...fromHtml, ...(html?.jsonLd ?? []).flatMap(fromJsonLd), ...fromBlocks(textBlocks)];
  return all.slice(0, MAX_LINKS);
}

function fromAnchors({ anchors, blocks, base }: HtmlContent): FoundLink[] {
  return anchors.flatMap((anchor) => fromAnchor(anchor, blocks, base));
}

function fromAnchor(
  { url, text, block, prominent, hidden }: Anchor,
  blocks: Block[],
  base: URL | null,
): FoundLink[] {
  const href = readUrl(url, base);
  if (href === null) return [];
  const own = blocks[block]?.text ?? '';
  const alone = own !== '' && own === text;
  return [
    {
      ...href,
      text,
      source: 'html',
      context: contextOf(blocks, block),
      prominent: prominent || alone,
      hidden,
    },
  ];
}

/**
 * Whitespace and line feeds inside an attribute are not part of the URL.
 * @param base to which a relative URL refers; links to a part of the mail itself are none
 */
function readUrl(url: string, base: URL | null = null): Pick<FoundLink, 'url' | 'parsed'> | null {
  const plain = url
    .slice(0, MAX_URL + 1)
    .replace(/[\t\r\n]/g, '')
    .trim();
  if (plain.length > MAX_URL) return null;
  if (base && plain !== '' && !OWN_LINK.test(plain)) {
    const parsed = URL.parse(plain, base.href);
    return parsed && HTTP.test(parsed.href) ? { url: parsed.href, parsed } : null;
  }
  const parsed = HTTP.test(plain) ? URL.parse(plain) : null;
  return parsed && { url: plain, parsed };
}

function fromBlocks(blocks: Block[]): FoundLink[] {
  const found: FoundLink[] = [];
  for (const [at, block] of blocks.entries()) {
    if (!block.text.includes('://')) continue;
    for (const href of urlsIn(block.text)) {
      const prominent = block.text === href.url;
      const context = contextOf(blocks, at);
      const { source, hidden } = block;
      found.push({ ...href, text: '', source, context, prominent, hidden });
      if (found.length >= MAX_LINKS) return found;
    }
  }
  return found;
}

function urlsIn(line: string): Pick<FoundLink, 'url' | 'parsed'>[] {
  const urls: Pick<FoundLink, 'url' | 'parsed'>[] = [];
  for (let at = 0; at < line.length && urls.length < MAX_LINKS; at += MAX_LINE) {
    const part = line.slice(at, at + MAX_LINE);
    if (!part.includes('://')) continue;
    for (const { url } of plainText.match(part) ?? []) {
      const href = readUrl(url);
      if (href !== null) urls.push(href);
    }
  }
  return urls;
}

function fromJsonLd(script: string): FoundLink[] {
  return jsonLdActions(script).flatMap(({ url, name, type }) => {
    const href = readUrl(url);
    const context = contextOfText(type === 'ConfirmAction' ? 'confirm' : '');
    return href === null
      ? []
      : [
          {
            ...href,
            text: name,
            source: 'jsonld' as const,
            context,
            prominent: true,
            hidden: false,
          },
        ];
  });
}
