/** Every link of a mail: anchors, areas, actions in JSON-LD, URLs in plain text. */
import type { Block } from '../block.ts';
import type { Anchor, HtmlContent } from '../html/parse-html.ts';
import type { Link } from '../types.ts';
import { type LinkContext, contextOf, contextOfText } from './context.ts';
import { jsonLdActions } from './json-ld.ts';
import { urlsIn } from './plain-text.ts';

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
const HTTP = /^https?:\/\//i;
/** Absolute, or within the mail: no base applies. */
const OWN_LINK = /^(?:https?:\/\/|#)/i;

export function collectLinks(html: HtmlContent | null, textBlocks: Block[]): FoundLink[] {
  const fromHtml = html ? [...fromAnchors(html), ...fromBlocks(html.blocks)] : [];
  const all = [...fromHtml, ...(html?.jsonLd ?? []).flatMap(fromJsonLd), ...fromBlocks(textBlocks)];
  return all.slice(0, MAX_LINKS);
}

function fromAnchors({ anchors, blocks, base }: HtmlContent): FoundLink[] {
  const found: FoundLink[] = [];
  for (const anchor of anchors) {
    if (found.length >= MAX_LINKS) break;
    const link = fromAnchor(anchor, blocks, base);
    if (link) found.push(link);
  }
  return found;
}

function fromAnchor(
  { url, text, block, prominent, hidden }: Anchor,
  blocks: Block[],
  base: URL | null,
): FoundLink | null {
  const href = readUrl(url, base);
  if (href === null) return null;
  const own = blocks[block]?.text ?? '';
  const alone = own !== '' && own === text;
  return {
    ...href,
    text,
    source: 'html',
    context: contextOf(blocks, block),
    prominent: prominent || alone,
    hidden,
  };
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
    const { href } = parsed ?? { href: '' };
    return parsed && HTTP.test(href) && href.length <= MAX_URL ? { url: href, parsed } : null;
  }
  const parsed = HTTP.test(plain) ? URL.parse(plain) : null;
  return parsed && { url: plain, parsed };
}

function fromBlocks(blocks: Block[]): FoundLink[] {
  const found: FoundLink[] = [];
  for (const [at, block] of blocks.entries()) {
    if (!block.text.includes('://')) continue;
    for (const url of urlsIn(block.text, MAX_LINKS)) {
      const href = readUrl(url);
      if (href === null) continue;
      const prominent = block.text === href.url;
      const context = contextOf(blocks, at);
      const { source, hidden } = block;
      found.push({ ...href, text: '', source, context, prominent, hidden });
      if (found.length >= MAX_LINKS) return found;
    }
  }
  return found;
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
