/**
 * Replaces `cid:` URLs (RFC 2392) of pictures attached to an HTML mail by data URLs (RFC 2397),
 * because browsers cannot load `cid:` URLs. The size of the output is limited, not only that of the
 * input: a mail of 2 KB can show one picture of 1 MiB a hundred times.
 */
import type { Task } from '../mime/task.ts';
import { namesIn, pictureUrlsIn, replacePictureUrls } from '../mime/picture-urls.ts';

/** A picture that the mail has. */
export interface NamedPicture {
  id: string;
  /** URLs, Content-ID and Content-Location that name it. */
  names: string[];
  contentType: string;
  /** Bytes of its content. */
  size: number;
}

/** A picture that is embedded. */
export interface Picture extends NamedPicture {
  content: Buffer;
  /** Characters of the page that it can take. */
  written: number;
}

/**
 * Characters of all data URLs of a page together: 9 MiB of pictures, counted each time they are
 * shown.
 */
const MAX_WRITTEN = 12 * 1024 * 1024;

/**
 * The pictures to embed: each one that the HTML shows once, in its order, within the size limit.
 * Repetitions get what is left.
 */
export const shownPictures: Task<{ html: string; pictures: NamedPicture[] }, ShownPicture[]> = {
  name: 'shownPictures',
  sizeOf: ({ html, pictures }) =>
    pictures.reduce((sum, { names }) => sum + names.join().length, html.length),
  inlineSize: 64 * 1024,
  run({ html, pictures }) {
    const pictureOf = byName(pictures);
    const shown = new Map<string, ShownPicture>();
    let room = MAX_WRITTEN;
    for (const url of pictureUrlsIn(html)) {
      const picture = pictureOf(url);
      if (!picture || shown.has(picture.id)) continue;
      const written = dataUrlLength(picture);
      if (written > room) continue;
      room -= written;
      shown.set(picture.id, { id: picture.id, written });
    }
    // Any of them can be the one that is repeated.
    return Array.from(shown.values(), ({ id, written }) => ({ id, written: written + room }));
  },
};

interface ShownPicture {
  id: string;
  /** As in {@link Picture}. */
  written: number;
}

/** Other URLs stay unchanged. */
export function embedPictures(html: string, pictures: Picture[]): string {
  const pictureOf = byName(pictures);
  const urls = new Map(pictures.map((picture) => [picture.id, dataUrl(picture, picture.content)]));
  let room = MAX_WRITTEN;
  for (const picture of pictures) room -= dataUrlLength(picture);
  const shown = new Set<string>();
  return replacePictureUrls(html, (url) => {
    const id = pictureOf(url)?.id ?? '';
    const replaced = urls.get(id);
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
function byName<Named extends NamedPicture>(pictures: Named[]): (url: string) => Named | undefined {
  const named = new Map<string, Named>();
  for (const picture of pictures) for (const name of picture.names) named.set(name, picture);
  return (url) => {
    const name = [url, ...namesIn(url)].find((each) => named.has(each));
    return name === undefined ? undefined : named.get(name);
  };
}

function dataUrl({ contentType }: NamedPicture, content: Buffer): string {
  return `data:${contentType};base64,${content.toString('base64')}`;
}

/** Length in characters. Base64 encodes three bytes as four characters (RFC 4648 section 4). */
function dataUrlLength(picture: NamedPicture): number {
  return dataUrl(picture, Buffer.alloc(0)).length + Math.ceil(picture.size / 3) * 4;
}
