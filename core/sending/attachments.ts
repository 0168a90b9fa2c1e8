import { AppError } from '../errors.ts';
import { readContentFields, shownType } from '../mime/canonical/content-fields.ts';

/** Limit of all attachments of a sent mail together. */
const MAX_TOTAL_BYTES = 10_485_760;

/** An attachment of a send request; `data` is base64. */
export interface SendAttachment {
  filename?: string;
  contentType?: string;
  data?: string;
}

export interface DecodedAttachment {
  filename: string | undefined;
  /** With its parameters, as the mail gives it. */
  contentType: string;
  /** The type as the parser reads it from a received mail, and its parameters. */
  shownType: string;
  charset: string | null;
  method: string | null;
  /** Content-ID of a part that the HTML shows; null for other attachments. */
  contentId: string | null;
  content: Buffer;
}

/**
 * @throws {AppError} `invalid_request` for invalid base64, `payload_too_large` above 10 MiB in
 *   total.
 */
export function decodeAttachments(attachments: SendAttachment[]): DecodedAttachment[] {
  const decoded = attachments.map(({ filename, contentType: given, data }, index) => {
    const contentType = leafType(given);
    const fields = [{ name: 'Content-Type', value: contentType }];
    const read = readContentFields(fields, contentType);
    return {
      ...{ filename, contentType, shownType: shownType(read), charset: read.charset },
      method: read.parameters.get('method') ?? null,
      contentId: null,
      content: decodeBase64(data ?? '', index),
    };
  });
  requireTotal(decoded.map(({ content }) => content.length));
  return decoded;
}

/** @throws {AppError} `payload_too_large` for sizes above 10 MiB in total. */
export function requireTotal(sizes: number[]): void {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= MAX_TOTAL_BYTES) return;
  throw new AppError(
    'payload_too_large',
    `The attachments have ${total} bytes in total; the limit is ${MAX_TOTAL_BYTES} bytes (10 MiB). ` +
      'Nothing was sent.',
  );
}

/**
 * An attachment is a leaf part, so multipart and message types are replaced (RFC 2046 section 5).
 */
function leafType(contentType = ''): string {
  return contentType && !/^(?:multipart|message)\//i.test(contentType)
    ? contentType
    : 'application/octet-stream';
}

/** RFC 4648 section 4, with padding and alphabet checked: valid base64 encodes back to itself. */
function decodeBase64(data: string, index: number): Buffer {
  const content = Buffer.from(data, 'base64');
  if (content.toString('base64') !== data) {
    throw new AppError(
      'invalid_request',
      `"attachments/${index}/data" is not valid base64. Use the standard alphabet with padding.`,
    );
  }
  return content;
}
