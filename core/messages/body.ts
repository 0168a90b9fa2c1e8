/**
 * The body of a message as a text, and as a page, in the dark or light colors that a reader chose.
 * A sandboxed frame follows the system only, so the choice is written into the page (Media Queries
 * Level 5 section 11.5, CSS Color Adjustment section 2).
 */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Context } from '../context.ts';
import { baseUrlOf } from '../text/base-url.ts';
import { readableText } from '../text/preview.ts';
import { readVisibleText } from '../text/visible-text.ts';
import { requireMessage } from './resolve-id.ts';
import { AppError } from '../errors.ts';
import { embedImages } from './embed-images.ts';
import { requireMessageWithFiles } from './messages.ts';

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

/**
 * The {@link readableText} of a message.
 * @throws {AppError} `not_found` if the message does not exist in the mailbox.
 */
export async function messageText(
  context: Pick<Context, 'now' | 'store'>,
  mailbox: MailboxRow,
  id: string,
): Promise<string> {
  const { mail } = await requireMessage(context, mailbox, id);
  return readableText(mail, readVisibleText);
}

/** A page, and the origin of its `base` element, which its policy must allow. */
interface HtmlView {
  page: string;
  baseSource: string;
}

/**
 * The HTML of a mail as a page for a frame. It is unchanged, except that links open in a new window
 * and relative ones never lead to Mayfly, and that attached images are embedded, because browsers
 * cannot load `cid:` URLs (RFC 2392).
 * @param scheme the colors that the reader chose; null follows the system
 * @throws {AppError} `not_found` if the message does not exist in the mailbox or has no HTML.
 */
export async function htmlView(
  context: Context,
  mailbox: MailboxRow,
  messageId: string,
  { remote, scheme }: { remote: boolean; scheme: ColorScheme | null },
): Promise<HtmlView> {
  const found = await requireMessageWithFiles(context, mailbox, messageId);
  const { mail, attachments, details } = found;
  if (mail.html === null) throw new AppError('not_found', 'The message has no HTML body.');
  const { html: chosen, head } = scheme
    ? inScheme(mail.html, scheme)
    : { html: mail.html, head: '' };
  const own = await embedImages(context, chosen, attachments, details?.attachments ?? null);
  const html = own.replace(remote ? FRAME : FRAME_OR_LINK, UNKNOWN);
  // The first `base` element counts. Placed before the doctype it would trigger quirks mode.
  const [doctype = ''] = DOCTYPE.exec(html) ?? [];
  const base = baseUrlOf(mail.html) ?? new URL(NO_BASE);
  const element = `<base href="${base.href.replaceAll('&', '&amp;')}" target="_blank">`;
  return { page: doctype + element + head + html.slice(doctype.length), baseSource: base.origin };
}

type ColorScheme = 'light' | 'dark';

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
