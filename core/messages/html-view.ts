/**
 * The HTML of a mail as a page for a frame. It is unchanged, except that links open in a new window and that attached
 * images are embedded, since a browser cannot load `cid:` URLs (RFC 2392).
 */
import type { MailboxRow } from '../../db/statements/mailboxes.js';
import type { Context } from '../context.js';
import { AppError } from '../errors.js';
import { embedImages } from './html-pictures.js';
import { findMessage } from './messages.js';

const DOCTYPE = /^\s*<!doctype[^>]*>/i;
const LINKS_OPEN_APART = '<base target="_blank">';
/**
 * The content security policy forbids requests, but Chromium connects to the host of a frame before it applies the
 * policy, and `<link rel="preconnect">` is not subject to it: a unique host name tells the sender that the mail was
 * opened. Renamed to unknown elements, they do nothing; the policy blocks their content in any case.
 */
const FRAME_OR_LINK = /<(?=(?:iframe|frame|link)[\s/>])/gi;
const FRAME = /<(?=i?frame[\s/>])/gi;
const UNKNOWN = '<x-';

/** @throws {AppError} `not_found` when the mailbox shows no such message, or that has no HTML. */
export async function htmlView(
  context: Context,
  mailbox: MailboxRow,
  messageId: string,
  { remote }: { remote: boolean },
): Promise<string> {
  const { mail, attachments } = await findMessage(context, mailbox, messageId);
  if (mail.html === null) throw new AppError('not_found', 'The message has no HTML body.');
  const own = await embedImages(context, mail.html, attachments);
  const html = own.replace(remote ? FRAME : FRAME_OR_LINK, UNKNOWN);
  // The first `base` counts. Before the doctype it would put the page into quirks mode.
  const [doctype = ''] = DOCTYPE.exec(html) ?? [];
  return doctype + LINKS_OPEN_APART + html.slice(doctype.length);
}
