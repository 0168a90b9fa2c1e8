/**
 * Response headers of a stored file. Mail is untrusted: its files are downloaded and never opened
 * in the browser under Mayfly's origin, and content types that a browser could execute, or unknown
 * ones, are not passed on.
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

/**
 * Control characters end header lines, directional characters disguise extensions, slashes look
 * like folders.
 */
const HARMFUL = /[\p{Cc}\p{Bidi_Control}\u2028\u2029/\\]/gu;

/** Length kept of a name, counted from its end, which has the extension. */
const NAME_MAX = 200;

/**
 * Returns headers with which a browser can safely receive the file. The name follows RFC 6266 and
 * RFC 8187.
 */
export function downloadHeaders(file: { filename: string; contentType: string }): DownloadHeaders {
  const [type, charset] = typeAndCharset(file.contentType);
  const name = file.filename.replace(HARMFUL, '').trim().slice(-NAME_MAX).toWellFormed();
  return {
    contentType: SAFE_TYPES.some((safe) => safe.test(type))
      ? type + (charset ? `; charset=${charset}` : '')
      : 'application/octet-stream',
    contentDisposition: contentDisposition(name || 'download'),
  };
}

/** The character set only of text, whose bytes cannot be read without it. */
function typeAndCharset(contentType: string): [type: string, charset?: string] {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const charset = /;\s*charset=([\w.:-]+)/i.exec(contentType)?.[1];
  return charset && type.startsWith('text/') ? [type, charset] : [type];
}
