/**
 * Finds the code, the main link and the text of the author of a mail, and says why. A pure
 * function: the same mail has the same result. The time is linear in the length of the mail.
 */
import { findCodes } from './codes/find-codes.ts';
import { choose } from './confidence.ts';
import { type HtmlContent, readHtml } from './html/parse-html.ts';
import { findLinks, isAction } from './links/find-links.ts';
import type {
  Extraction,
  ExtractionInput,
  Link,
  Unsubscribe,
  UnsubscribeProblem,
} from './types.ts';
import { type Block, keywordsOf, newBlock } from './block.ts';
import { normalize } from './normalize.ts';
import { findReply } from './reply/reply-text.ts';

/** Raised with each change of the rules that changes results. */
const EXTRACTION_VERSION = 3;

const QUOTED = /^ ?>/;
/** RFC 3676 section 4.3. */
const SIGNATURE = /^-- ?$/;
/** A URL in angle brackets over several lines (RFC 3986, appendix C). */
const WRAPPED_URL =
  /<(?:URL:)?https?:\/\/[^\s<>]{1,2000}(?:[ \t]{0,8}(?:\r\n|\r|\n)[ \t]{0,8}[^\s<>]{1,2000}){1,20}\s?>/gi;
/** In characters. */
const MAX_TEXT_LENGTH = 1024 * 1024;

const LEGAL_NOTICE = /©|\([cC]\) ?(?:19|20)\d\d|[aA]ll [rR]ights [rR]eserved|[cC]opyright/;
/** Blocks from the end in which the section can begin. */
const MAX_BLOCKS = 40;
const MAX_BLOCK_LENGTH = 400;

/** @param mail with text and HTML of any length; each is read up to 1,048,576 characters. */
export function extract(mail: ExtractionInput): Extraction {
  const html = mail.html === null ? null : readHtml(mail.html);
  const text = mail.text === null ? [] : readText(mail.text);
  const bodies = [html?.blocks ?? [], text];
  for (const blocks of bodies) markFooter(blocks);
  const { codes, rejected, truncated: cutCodes } = findCodes(mail.subject, bodies);
  const { links, truncated: cutLinks } = findLinks(mail, html, text);
  const reply = findReply(mail);
  return {
    version: EXTRACTION_VERSION,
    code: choose(codes)?.value ?? null,
    link: choose(links.filter(({ kind }) => isAction(kind)))?.url ?? null,
    codes,
    rejected,
    links,
    unsubscribe: parseUnsubscribe(mail, links),
    replyText: reply.text,
    truncated: cutCodes || cutLinks || reply.truncated || isCut(mail, html),
  };
}

function isCut({ text }: ExtractionInput, html: HtmlContent | null): boolean {
  const longText = (text?.length ?? 0) > MAX_TEXT_LENGTH;
  return longText || (html?.truncated ?? false);
}

/** The lines of a plain text part as blocks. */
function readText(text: string): Block[] {
  let isSignature = false;
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .replace(WRAPPED_URL, (url) => url.replace(/\s/g, ''))
    .split(/\r\n|\r|\n/)
    .map((line) => normalize(line))
    .flatMap((line) => {
      if (SIGNATURE.test(line)) isSignature = true;
      const content = line.trim();
      if (content === '') return [];
      const block = newBlock(content, 'text');
      block.quoted = QUOTED.test(line);
      block.footer = isSignature;
      return [block];
    });
}

/** Marks the closing section of a mail: legal notice, address of the sender, unsubscribe link. */
function markFooter(blocks: Block[]): void {
  const from = Math.max(Math.ceil(blocks.length / 2), blocks.length - MAX_BLOCKS, 1);
  const start = blocks.findIndex((block, at) => at >= from && isFooterStart(block));
  if (start < 0) return;
  for (const block of blocks.slice(start)) block.footer = true;
}

function isFooterStart(block: Block): boolean {
  const { text } = block;
  if (text.length > MAX_BLOCK_LENGTH) return false;
  return (
    LEGAL_NOTICE.test(text) || keywordsOf(block).some(({ meaning }) => meaning === 'unsubscribe')
  );
}

const MAX_FIELD = 8192;
const MAX_URIS = 20;
const URI = /<([^<>]*)>/g;
const REST = /^[\s,]*$/;
const COMMENT = /\([^()<>]{0,500}\)/g;
/** RFC 8058 section 3.1. */
const ONE_CLICK = /^\s*List-Unsubscribe=One-Click\s*$/i;

/** The List-Unsubscribe header (RFC 2369 section 3.2) and the request for one-click (RFC 8058). */
export function parseUnsubscribe(
  { listUnsubscribe, listUnsubscribePost }: Fields,
  links: Link[],
): Unsubscribe {
  const field = (listUnsubscribe ?? '').slice(0, MAX_FIELD).replace(COMMENT, '');
  const uris = Array.from(field.matchAll(URI), ([, uri = '']) => uri.replace(/\s/g, ''));
  const header = uris
    .filter((uri) => /^https?:/i.test(uri) && URL.canParse(uri))
    .slice(0, MAX_URIS);
  const mailto = uris.filter((uri) => /^mailto:.+@/i.test(uri)).slice(0, MAX_URIS);
  const oneClick = listUnsubscribePost !== null && ONE_CLICK.test(listUnsubscribePost);
  const problems: UnsubscribeProblem[] = [];
  if (oneClick && !header.some((uri) => /^https:/i.test(uri)))
    problems.push('one_click_without_https');
  if (isBadlyFormed()) problems.push('bad_syntax');
  const body = links.filter(({ kind }) => kind === 'unsubscribe').map(({ url }) => url);
  return { header, mailto, oneClick, body, problems };

  function isBadlyFormed(): boolean {
    if (listUnsubscribePost !== null && !oneClick) return true;
    if (listUnsubscribe === null) return false;
    const understood = uris.every((uri) => URL.canParse(uri));
    return uris.length === 0 || !understood || !REST.test(field.replace(URI, ''));
  }
}

interface Fields {
  listUnsubscribe: string | null;
  listUnsubscribePost: string | null;
}
