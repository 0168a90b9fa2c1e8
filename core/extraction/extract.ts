/**
 * Finds the code and the main link of a mail, and says why. A pure function: the same mail has the
 * same result. The time is linear in the length of the mail.
 */
import { findCodes } from './codes/find-codes.ts';
import { choose } from './confidence.ts';
import { markFooter } from './footer.ts';
import { type HtmlContent, readHtml } from './html/read-html.ts';
import { findLinks, isAction } from './links/find-links.ts';
import { MAX_TEXT_LENGTH, readText } from './plain-text.ts';
import type { Extraction, MailParts } from './types.ts';
import { readUnsubscribe } from './unsubscribe.ts';

/** Raised with each change of the rules that changes results. */
const EXTRACTION_VERSION = 1;

/** @param mail with text and HTML of any length; each is read up to 1,048,576 characters. */
export function extract(mail: MailParts): Extraction {
  const html = mail.html === null ? null : readHtml(mail.html);
  const text = mail.text === null ? [] : readText(mail.text);
  const bodies = [html?.blocks ?? [], text];
  for (const blocks of bodies) markFooter(blocks);
  const { codes, rejected, truncated: cutCodes } = findCodes(mail.subject, bodies);
  const { links, truncated: cutLinks } = findLinks(mail, html, text);
  return {
    version: EXTRACTION_VERSION,
    code: choose(codes)?.value ?? null,
    link: choose(links.filter(({ kind }) => isAction(kind)))?.url ?? null,
    codes,
    rejected,
    links,
    unsubscribe: readUnsubscribe(mail, links),
    truncated: cutCodes || cutLinks || isCut(mail, html),
  };
}

function isCut({ text }: MailParts, html: HtmlContent | null): boolean {
  const longText = (text?.length ?? 0) > MAX_TEXT_LENGTH;
  return longText || (html?.truncated ?? false);
}
