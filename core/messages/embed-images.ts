/**
 * Replaces `cid:` URLs (RFC 2392) of pictures attached to an HTML mail by data URLs (RFC 2397),
 * because browsers cannot load `cid:` URLs. The size of the output is limited, not only that of the
 * input: a mail of 2 KB can show one picture of 1 MiB a hundred times.
 */
import { buffer } from 'node:stream/consumers';
import { type AttachmentRow, attachmentContent } from '../../db/statements/attachments.ts';
import type { Context } from '../context.ts';
import { partName, partNamesIn, replacePartUrls } from '../mime/picture-urls.ts';
import { attachmentName, openFile } from './files.ts';

type Reading = Pick<Context, 'log' | 'blobs' | 'store'>;

/**
 * Characters of all data URLs of a page together: 9 MiB of pictures, counted each time they are
 * shown.
 */
const MAX_WRITTEN = 12 * 1024 * 1024;

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
  return replacePartUrls(html, (name) => {
    const url = urls.get(name);
    if (url === undefined) return null;
    if (shown.has(name)) {
      if (url.length > room) return null;
      room -= url.length;
    }
    shown.add(name);
    return url;
  });
}

type Picture = AttachmentRow & { contentId: string };

/** The distinct pictures in the HTML, in order. */
function picturesIn(html: string, attachments: AttachmentRow[]): Picture[] {
  const pictures = new Map<string, Picture>();
  for (const { contentId, ...row } of attachments) {
    if (contentId !== null && PICTURE.test(row.contentType)) {
      const name = partName(contentId);
      pictures.set(name, { ...row, contentId: name });
    }
  }
  return [...partNamesIn(html)].flatMap((name) => pictures.get(name) ?? []);
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
