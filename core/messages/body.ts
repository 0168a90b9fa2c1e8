/**
 * The body of a message as a text, and as a page, in the dark or light colors that a reader chose.
 * A sandboxed frame follows the system only, so the choice is written into the page (Media Queries
 * Level 5 section 11.5, CSS Color Adjustment section 2).
 */
import { baseUrlOf } from '../text/base-url.ts';
import { linkedText } from '../text/linked-text.ts';
import { readableText } from '../text/preview.ts';
import { visibleText } from '../text/visible-text.ts';
import { type Task, lengthOf } from '../mime/task.ts';
import { type Picture, embedPictures } from './embed-images.ts';

const DOCTYPE = /^\s*<!doctype[^>]*>/i;
/** Takes relative links of a mail without a base, which would lead to pages of Mayfly otherwise. */
const NO_BASE = 'https://link-without-base.invalid/';
/**
 * The Content-Security-Policy blocks requests, but Chromium connects to the host of a frame before
 * it applies the policy, and `<link rel="preconnect">` is exempt from it: a unique host name would
 * reveal that the mail was opened. Both elements are renamed, so they have no effect; the policy
 * blocks their content in any case.
 */
const FRAME_OR_LINK = /<(?=(?:iframe|frame|link)[\s/>])/gi;
const FRAME = /<(?=i?frame[\s/>])/gi;
const UNKNOWN = '<x-';

/** The {@link readableText} of a mail as UTF-8. */
export const bodyText: Task<{ text: string | null; html: string | null }, Buffer> = {
  name: 'bodyText',
  sizeOf: ({ text, html }) => lengthOf(text) + lengthOf(html),
  inlineSize: 32 * 1024,
  run: (mail) => Buffer.from(readableText(mail, (html) => visibleText(html))),
};

/** Same, with the targets of links. */
export const linkedBodyText: typeof bodyText = {
  ...bodyText,
  name: 'linkedBodyText',
  run: (mail) => Buffer.from(readableText(mail, linkedText)),
};

/** A page as UTF-8, and the origin of its `base` element, which its policy must allow. */
interface HtmlPage {
  page: Buffer;
  baseSource: string;
}

export interface HtmlPageInput {
  html: string;
  remote: boolean;
  scheme: ColorScheme | null;
  /** Whether links open in a new window. */
  newWindow: boolean;
  /** Those that are embedded. */
  pictures: Picture[];
}

/**
 * The HTML of a mail as a page for a frame. It is unchanged, except that links can open in a new
 * window, relative ones never lead to Mayfly, and that attached images are embedded, because
 * browsers cannot load `cid:` URLs (RFC 2392).
 */
export const htmlPage: Task<HtmlPageInput, HtmlPage> = {
  name: 'htmlPage',
  sizeOf: ({ html, pictures }) => pictures.reduce((sum, { written }) => sum + written, html.length),
  inlineSize: 64 * 1024,
  run({ html: whole, remote, scheme, newWindow, pictures }) {
    const { html: chosen, head } = scheme ? inScheme(whole, scheme) : { html: whole, head: '' };
    const own = pictures.length > 0 ? embedPictures(chosen, pictures) : chosen;
    const html = own.replace(remote ? FRAME : FRAME_OR_LINK, UNKNOWN);
    // The first `base` element counts. Placed before the doctype it would trigger quirks mode.
    const [doctype = ''] = DOCTYPE.exec(html) ?? [];
    const base = baseUrlOf(whole) ?? new URL(NO_BASE);
    const target = newWindow ? ' target="_blank"' : '';
    const element = `<base href="${base.href.replaceAll('&', '&amp;')}"${target}>`;
    const page = doctype + element + head + html.slice(doctype.length);
    return { page: Buffer.from(page), baseSource: base.origin };
  },
};

export type ColorScheme = 'light' | 'dark';

/** A media query for a scheme, or a property that names the dark one. */
const OWN_SCHEMES = /prefers-color-scheme|color-scheme[^;{}<>]{0,64}\bdark\b/i;

/** Where media queries stand. A part without an end is the rest: no byte is read twice. */
const QUERIES = /<style\b[\s\S]*?(?:<\/style|$)|\bmedia\s*=\s*(?:"[^"]*"|'[^']*')/gi;
const PREFERENCE = /\(\s*prefers-color-scheme\s*:\s*(light|dark)\s*\)/gi;
/** Media features that are always and never true. */
const TRUE = '(min-width: 0)';
const FALSE = '(max-width: -1px)';

/**
 * Inverts what is below a layer over the page, as dark mail readers do. Pictures lie above the
 * layer: inverting them twice would clip their colors.
 */
const INVERTED = `<style>
html::after { content: "" !important; position: fixed !important; inset: 0 !important;
  z-index: 2147483646 !important; pointer-events: none !important;
  backdrop-filter: invert(0.91) hue-rotate(180deg) !important }
:where(img, video, input[type=image]) { position: relative }
img, video, input[type=image] { z-index: 2147483647 !important }
</style>`;

/**
 * The HTML in the scheme, and what its head needs for that. A mail with schemes uses its own;
 * another one is light, or inverted.
 */
function inScheme(html: string, scheme: ColorScheme): { html: string; head: string } {
  if (!OWN_SCHEMES.test(html)) return { html, head: scheme === 'dark' ? INVERTED : '' };
  const chosen = html.replace(QUERIES, (part) =>
    part.replace(PREFERENCE, (_query, preferred: string) =>
      preferred.toLowerCase() === scheme ? TRUE : FALSE,
    ),
  );
  return { html: chosen, head: `<style>:root { color-scheme: ${scheme} !important }</style>` };
}
