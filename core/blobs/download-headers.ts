/**
 * The headers under which a stored file is served. Mail is hostile: its files are downloaded, never opened in the
 * browser under Mayfly's origin, and a type that a browser could execute, or an unknown one, is not passed on.
 */
import { create as contentDisposition } from 'content-disposition';

export interface DownloadHeaders {
  contentType: string;
  contentDisposition: string;
}

const SAFE_TYPES = [
  /^text\/(?:plain|csv|calendar)$/,
  /^image\/(?:png|jpeg|gif|webp|avif|bmp|tiff|heic|heif)$/,
  /^(?:audio|video)\/[a-z0-9.-]+$/,
  /^application\/(?:pdf|zip|gzip|json|rtf|msword|x-7z-compressed)$/,
  /^application\/vnd\.(?:ms-(?:excel|powerpoint|outlook)|openxmlformats-officedocument\.[a-z.]+|oasis\.opendocument\.[a-z-]+)$/,
  /^message\/rfc822$/,
];

/** Control characters end header lines, directional ones disguise extensions, slashes suggest folders. */
const HARMFUL = /[\p{Cc}\p{Bidi_Control}\u2028\u2029/\\]/gu;

/** Characters kept of the end of a name, where the extension is. */
const NAME_MAX = 200;

/** Headers under which a file can be handed to a browser. RFC 6266 and RFC 8187 for the name. */
export function downloadHeaders(file: { filename: string; contentType: string }): DownloadHeaders {
  const type = file.contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const name = file.filename.replace(HARMFUL, '').trim().slice(-NAME_MAX).toWellFormed();
  return {
    contentType: SAFE_TYPES.some((safe) => safe.test(type)) ? type : 'application/octet-stream',
    contentDisposition: contentDisposition(name || 'download'),
  };
}
