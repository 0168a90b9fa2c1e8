/**
 * Replaces `cid:` URLs (RFC 2392) of pictures attached to an HTML mail by data URLs (RFC 2397),
 * because browsers cannot load `cid:` URLs. The size of the output is limited, not only that of the
 * input: a mail of 2 KB can show one picture of 1 MiB a hundred times.
 */
import { buffer } from 'node:stream/consumers';
import { type AttachmentRow, attachmentContent } from '../../db/statements/attachments.ts';
import type { Context } from '../context.ts';
import { attachmentName, openFile } from './files.ts';

type Reading = Pick<Context, 'log' | 'blobs' | 'store'>;

/**
 * Characters of all data URLs of a page together: 9 MiB of pictures, counted each time they are
 * shown.
 */
const MAX_WRITTEN = 12 * 1024 * 1024;

/**
 * A `cid:` URL that fills an attribute, where it can contain blanks, or one anywhere else; or the
 * value of an attribute that names a part by its Content-Location (RFC 2557 section 4.2).
 */
const PICTURE_URL =
  /(["'])\s*cid:([^"'<>]*)\1|\bcid:([^"'\s()<>\\]+)|(?<=\b(?:src|background)=)(["'])([^"'<>]*)\4/gi;
const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|amp);/gi;
const PICTURE = /^image\/[a-z0-9.+-]+$/i;

/**
 * Embeds the pictures within the size limit: first each picture once, in the order of the HTML,
 * then repetitions. Other URLs stay unchanged.
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
  return html.replace(PICTURE_URL, (written: string, ...groups: (string | undefined)[]) => {
    const id = idOf(nameIn(groups));
    const url = urls.get(id);
    if (url === undefined) return written;
    if (shown.has(id)) {
      if (url.length > room) return written;
      room -= url.length;
    }
    shown.add(id);
    const quote = groups[0] ?? groups[3] ?? '';
    return quote + url + quote;
  });
}

type Picture = AttachmentRow & { contentId: string };

/** The distinct pictures in the HTML, in order. */
function picturesIn(html: string, attachments: AttachmentRow[]): Picture[] {
  const pictures = new Map<string, Picture>();
  for (const { contentId, ...row } of attachments) {
    if (contentId !== null && PICTURE.test(row.contentType)) {
      const id = contentId.replace(/\s+/g, '');
      pictures.set(id, { ...row, contentId: id });
    }
  }
  const named = new Set(
    Array.from(html.matchAll(PICTURE_URL), ([, ...groups]) => idOf(nameIn(groups))),
  );
  return [...named].flatMap((id) => pictures.get(id) ?? []);
}

function dataUrl({ contentType }: AttachmentRow, content: Buffer): string {
  return `data:${contentType};base64,${content.toString('base64')}`;
}

/** Length in characters. Base64 encodes three bytes as four characters (RFC 4648 section 4). */
function dataUrlLength(row: AttachmentRow): number {
  return dataUrl(row, Buffer.alloc(0)).length + Math.ceil(row.size / 3) * 4;
}

async function contentOf(context: Reading, { mailId, id }: AttachmentRow): Promise<Buffer> {
  const [row] = await context.store.query(attachmentContent, mailId, id);
  if (!row) return Buffer.alloc(0);
  const { stream } = await openFile(context, { ...row, filename: attachmentName(row) });
  return buffer(stream);
}

/** The name in a match of {@link PICTURE_URL}. */
function nameIn(groups: (string | undefined)[]): string {
  return groups[1] ?? groups[2] ?? groups[4] ?? '';
}

/** The content id in a URL, without blanks, percent-encoding and character references. */
function idOf(name: string): string {
  const plain = name.replace(REFERENCE, character).replace(/\s+/g, '');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function character(_reference: string, decimal?: string, hex?: string): string {
  const code = decimal === undefined ? parseInt(hex ?? '26', 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}
