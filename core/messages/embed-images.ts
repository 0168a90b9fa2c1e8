/**
 * Replaces `cid:` URLs (RFC 2392) of pictures attached to an HTML mail by data URLs (RFC 2397),
 * because browsers cannot load `cid:` URLs. The size of the output is limited, not only that of the
 * input: a mail of 2 KB can show one picture of 1 MiB a hundred times.
 */
import { buffer } from 'node:stream/consumers';
import { type AttachmentRow, attachmentContent } from '../../db/statements/attachments.ts';
import type { AttachmentFacts } from '../../db/schema/mail-facts.ts';
import type { Context } from '../context.ts';
import { namesIn, partName, pictureUrlsIn, replacePictureUrls } from '../mime/picture-urls.ts';
import { attachmentName, openFile } from './files.ts';

type Reading = Pick<Context, 'log' | 'blobs' | 'store'>;

/**
 * Characters of all data URLs of a page together: 9 MiB of pictures, counted each time they are
 * shown.
 */
const MAX_WRITTEN = 12 * 1024 * 1024;

const PICTURE = /^image\/[a-z0-9.+-]+$/i;
const PICTURE_NAME = /\.(png|gif|jpe?g|webp)$/i;

/**
 * Embeds the pictures within the size limit: first each picture once, in the order of the HTML,
 * then repetitions. Other URLs stay unchanged.
 * @param facts those of the attachments by position; null for mail of an earlier version.
 */
export async function embedImages(
  context: Reading,
  html: string,
  attachments: AttachmentRow[],
  facts: AttachmentFacts[] | null,
): Promise<string> {
  let room = MAX_WRITTEN;
  const pictureOf = picturesIn(attachments, facts ?? []);
  const embedded = new Map<string, string>();
  for (const url of pictureUrlsIn(html)) {
    const picture = pictureOf(url);
    if (!picture || embedded.has(picture.id)) continue;
    const length = dataUrlLength(picture);
    if (length > room) continue;
    room -= length;
    embedded.set(picture.id, dataUrl(picture, await contentOf(context, picture)));
  }
  const shown = new Set<string>();
  return replacePictureUrls(html, (url) => {
    const id = pictureOf(url)?.id ?? '';
    const replaced = embedded.get(id);
    if (replaced === undefined) return null;
    if (shown.has(id)) {
      if (replaced.length > room) return null;
      room -= replaced.length;
    }
    shown.add(id);
    return replaced;
  });
}

/** Finds the picture that a URL names. */
function picturesIn(
  attachments: AttachmentRow[],
  facts: AttachmentFacts[],
): (url: string) => AttachmentRow | undefined {
  const pictures = new Map<string, AttachmentRow>();
  for (const row of attachments) {
    const contentType = pictureType(row);
    if (contentType === null) continue;
    const urls = facts[row.position]?.urls ?? [];
    const names = row.contentId === null ? urls : [partName(row.contentId), ...urls];
    for (const name of names) pictures.set(name, { ...row, contentType });
  }
  return (url) => {
    const name = [url, ...namesIn(url)].find((each) => pictures.has(each));
    return name === undefined ? undefined : pictures.get(name);
  };
}

/** Null for a file that is no picture. Some senders declare pictures as files of no known type. */
function pictureType({ contentType, filename }: AttachmentRow): string | null {
  if (PICTURE.test(contentType)) return contentType;
  if (contentType !== 'application/octet-stream') return null;
  const [, extension] = PICTURE_NAME.exec(filename ?? '') ?? [];
  return extension === undefined ? null : `image/${extension.toLowerCase().replace('jpg', 'jpeg')}`;
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
