/**
 * The pictures that an HTML mail brings along and shows by `cid:` URLs (RFC 2392), which mean nothing to a browser,
 * as data URLs (RFC 2397). What is written is bounded, not only what is read: a mail of 2 KB can show one picture
 * of 1 MiB a hundred times.
 */
import { buffer } from 'node:stream/consumers';
import { type AttachmentRow, attachmentContent } from '../../db/statements/attachments.js';
import type { Context } from '../context.js';
import { attachmentName, openFile } from './files.js';

type Reading = Pick<Context, 'log' | 'blobs' | 'store'>;

/** Of the data URLs of one page together, in characters: 9 MiB of pictures, each counted as often as it is shown. */
const MAX_WRITTEN = 12 * 1024 * 1024;

const CID_URL = /\bcid:([^"'\s()<>\\]+)/gi;
const PICTURE = /^image\/[a-z0-9.+-]+$/i;

/**
 * The HTML with its pictures in place of their `cid:` URLs, as far as there is room: each picture once, in the order
 * of the HTML, and what is then left for those that are shown again. The other URLs stay as they are.
 */
export async function embedImages(
  context: Reading,
  html: string,
  attachments: AttachmentRow[],
): Promise<string> {
  let room = MAX_WRITTEN;
  const urls = new Map<string, string>();
  for (const row of picturesIn(html, attachments)) {
    const length = dataUrlLength(row);
    if (length > room) continue;
    room -= length;
    urls.set(row.contentId, dataUrl(row, await contentOf(context, row)));
  }
  const shown = new Set<string>();
  return html.replace(CID_URL, (cidUrl, name: string) => {
    const id = idOf(name);
    const url = urls.get(id);
    if (url === undefined) return cidUrl;
    if (shown.has(id)) {
      if (url.length > room) return cidUrl;
      room -= url.length;
    }
    shown.add(id);
    return url;
  });
}

type Picture = AttachmentRow & { contentId: string };

/** Each picture that the HTML shows, once, in the order in which it shows them. */
function picturesIn(html: string, attachments: AttachmentRow[]): Picture[] {
  const pictures = new Map<string, Picture>();
  for (const { contentId, ...row } of attachments) {
    if (contentId !== null && PICTURE.test(row.contentType)) {
      pictures.set(contentId, { ...row, contentId });
    }
  }
  const named = new Set(Array.from(html.matchAll(CID_URL), ([, name = '']) => idOf(name)));
  return [...named].flatMap((id) => pictures.get(id) ?? []);
}

function dataUrl({ contentType }: AttachmentRow, content: Buffer): string {
  return `data:${contentType};base64,${content.toString('base64')}`;
}

/** In characters. Base64 writes three bytes as four (RFC 4648 section 4). */
function dataUrlLength(row: AttachmentRow): number {
  return dataUrl(row, Buffer.alloc(0)).length + Math.ceil(row.size / 3) * 4;
}

async function contentOf(context: Reading, { mailId, id }: AttachmentRow): Promise<Buffer> {
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
