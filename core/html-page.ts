/**
 * The HTML of a mail as a page for a frame: as it was sent, but that links open in a window of their own and
 * that the pictures it brings along are put in, since `cid:` URLs (RFC 2392) mean nothing to a browser.
 */
import { buffer } from 'node:stream/consumers';
import { type AttachmentRow, attachmentContent } from '../db/attachments.js';
import type { MailboxRow } from '../db/mailboxes.js';
import type { Context } from './context.js';
import { AppError } from './errors.js';
import { findMessage } from './messages.js';
import { attachmentName, openFile } from './stored-files.js';

/** Pictures are put in until they have this many bytes together. */
const MAX_PICTURE_BYTES = 8 * 1024 * 1024;

const DOCTYPE = /^\s*<!doctype[^>]*>/i;
const LINKS_OPEN_APART = '<base target="_blank">';
/**
 * A policy forbids requests, but Chromium connects to where a frame would be from before it asks the policy, and
 * `<link rel="preconnect">` is asked by none: a host name of its own tells the sender that the mail was opened.
 * As elements that nobody knows they do nothing; the policy would not have let them do more.
 */
const FRAME_OR_LINK = /<(?=(?:iframe|frame|link)[\s/>])/gi;
const FRAME = /<(?=i?frame[\s/>])/gi;
const UNKNOWN = '<x-';
const CID_URL = /\bcid:([^"'\s()<>\\]+)/gi;
const PICTURE = /^image\/[a-z0-9.+-]+$/i;

/** @throws {AppError} `not_found` when the mailbox shows no such message, or that has no HTML. */
export async function htmlPage(
  context: Context,
  mailbox: MailboxRow,
  messageId: string,
  { remote }: { remote: boolean },
): Promise<string> {
  const { mail, attachments } = await findMessage(context, mailbox, messageId);
  if (mail.html === null) throw new AppError('not_found', 'This message has no HTML.');
  const named = new Set(Array.from(mail.html.matchAll(CID_URL), ([, name = '']) => idOf(name)));
  const wanted = attachments.filter(({ contentId }) => contentId !== null && named.has(contentId));
  const pictures = await dataUrls(context, wanted);
  const own = mail.html.replace(CID_URL, (url, name: string) => pictures.get(idOf(name)) ?? url);
  const html = own.replace(remote ? FRAME : FRAME_OR_LINK, UNKNOWN);
  // The first `base` counts. Before the doctype it would put the page into quirks mode.
  const [doctype = ''] = DOCTYPE.exec(html) ?? [];
  return doctype + LINKS_OPEN_APART + html.slice(doctype.length);
}

async function dataUrls(context: Context, rows: AttachmentRow[]): Promise<Map<string, string>> {
  const urls = new Map<string, string>();
  let bytes = 0;
  for (const row of rows) {
    bytes += row.size;
    if (!PICTURE.test(row.contentType) || row.contentId === null) continue;
    if (bytes > MAX_PICTURE_BYTES) break;
    const content = await contentOf(context, row);
    urls.set(row.contentId, `data:${row.contentType};base64,${content.toString('base64')}`);
  }
  return urls;
}

async function contentOf(context: Context, { mailId, id }: AttachmentRow): Promise<Buffer> {
  const [row] = await context.store.ask(attachmentContent, mailId, id);
  if (!row) return Buffer.alloc(0);
  const { stream } = await openFile(context, { ...row, filename: attachmentName(row) });
  return buffer(stream);
}

/** What a `cid:` URL inside HTML names: percent-decoded, its ampersands plain. */
function idOf(name: string): string {
  const plain = name.replaceAll('&amp;', '&');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
