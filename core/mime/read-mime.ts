/** Reads the parts of a mail unchanged. If the parser fails, the parts read so far are kept. */
import { Readable } from 'node:stream';
import type {
  AddressObject,
  AttachmentStream,
  HeaderLines,
  Headers,
  MessageText,
} from 'mailparser';
import type { ParseLimits } from './parse-limits.ts';
import { VerbatimParser, type Part } from './verbatim-parser.ts';
import { lacksHeader } from './header-fields.ts';

export interface ParsedMime {
  from: AddressObject | undefined;
  to: AddressObject | AddressObject[] | undefined;
  cc: AddressObject | AddressObject[] | undefined;
  subject: string | undefined;
  messageId: string | undefined;
  headers: Headers;
  headerLines: HeaderLines;
  /** Decodes encoded words (RFC 2047). */
  decodeWords: (text: string) => string;
  text: string;
  html: string;
  attachments: {
    filename: string | undefined;
    contentType: string;
    /** Without angle brackets. */
    contentId: string | undefined;
    headers: Headers;
    content: Buffer;
  }[];
  /**
   * The reason if part of the mail was not read: reading ended early, or a header field is too
   * long.
   */
  fault: string | null;
}

const TEXT_TYPES = ['text/plain', 'message/delivery-status'];

/** The decoders process a chunk synchronously, so chunks are small enough to let other work run. */
const PIECE_BYTES = 64 * 1024;

/**
 * RFC 5322 section 3.5 requires an empty line between header and body. A mail without header fields
 * is all body.
 */
const EMPTY_HEADER = '\r\n';

/** @throws if not even the header can be read. */
export function parseMime(raw: Buffer, limits: ParseLimits): Promise<ParsedMime> {
  return new Promise((resolve, reject) => {
    const parser = new VerbatimParser(limits);
    const attachments: ParsedMime['attachments'] = [];
    let headers: Headers = new Map();
    let headerLines: HeaderLines = [];
    const finish = (fault: string | null) => {
      const decodeWords = (text: string) => parser.libmime.decodeWords(text);
      const fields = { ...fieldsOf(headers), headers, headerLines, decodeWords };
      resolve({ ...fields, ...bodyOf(parser.tree), attachments, fault });
    };
    parser.on('headers', (parsed) => (headers = parsed));
    parser.on('headerLines', (lines) => (headerLines = lines));
    parser.on('data', (data: AttachmentStream | MessageText) => {
      if (data.type === 'attachment') collect(data, attachments);
    });
    parser.on('error', (error: Error) => {
      if (parser.tree) finish(error.message);
      else reject(error);
    });
    parser.on('end', () => {
      finish(parser.cutFields);
    });
    if (lacksHeader(raw)) parser.write(EMPTY_HEADER);
    if (raw.length <= PIECE_BYTES) parser.end(raw);
    else Readable.from(pieces(raw)).pipe(parser);
  });
}

function* pieces(raw: Buffer): Generator<Buffer> {
  for (let at = 0; at < raw.length; at += PIECE_BYTES) yield raw.subarray(at, at + PIECE_BYTES);
}

function collect(data: AttachmentStream, attachments: ParsedMime['attachments']): void {
  const chunks: Buffer[] = [];
  data.content.on('data', (chunk: Buffer) => chunks.push(chunk));
  data.content.on('end', () => {
    const { filename, contentType, cid, headers } = data;
    attachments.push({
      filename: filename || undefined,
      contentType,
      contentId: cid || undefined,
      headers,
      content: Buffer.concat(chunks),
    });
    data.release();
  });
}

function fieldsOf(
  headers: Headers,
): Pick<ParsedMime, 'from' | 'to' | 'cc' | 'subject' | 'messageId'> {
  return {
    from: headers.get('from') as AddressObject | undefined,
    to: headers.get('to') as AddressObject | AddressObject[] | undefined,
    cc: headers.get('cc') as AddressObject | AddressObject[] | undefined,
    subject: headers.get('subject') as string | undefined,
    messageId: headers.get('message-id') as string | undefined,
  };
}

/** Concatenates the bodies of each kind. */
function bodyOf(tree: Part | undefined): { text: string; html: string } {
  const leaves = tree ? leavesOf(tree) : [];
  const join = (types: string[], between: string) =>
    leaves
      .flatMap(({ contentType = '', textContent }) =>
        textContent && types.includes(contentType) ? [textContent] : [],
      )
      .join(between);
  return { text: join(TEXT_TYPES, '\n'), html: join(['text/html'], '') };
}

function leavesOf(part: Part): Part[] {
  return [part, ...(part.children ?? []).flatMap(leavesOf)];
}
