/**
 * Reads and decompresses a body. A body above the limit is rejected as soon as that is known; the
 * parsers of Express read it to its end first, which may never come.
 */
import type { Request } from 'express';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import getRawBody from 'raw-body';
import { AppError } from '../../core/errors.ts';
import { isHttpFailure } from './errors.ts';

/** RFC 9110 section 8.4.1, and RFC 7932. */
const unpackers = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

const UNREADABLE =
  'The request body cannot be read. Check its Content-Length and Content-Encoding.';
const UNKNOWN_CODING = 'Unsupported Content-Encoding. Use gzip, deflate, br or identity.';

/** The decoded size of the body, if it is known in advance. */
export function bodyBytes(req: Request): number | null {
  if (req.headers['transfer-encoding'] !== undefined || codingOf(req) !== 'identity') return null;
  return announcedBytes(req);
}

/** @throws {AppError} `payload_too_large` if that is known before the body is read. */
export function refuseTooLong(req: Request, limit: number): void {
  if (announcedBytes(req) > limit) throw tooLarge(limit);
}

/**
 * @param limit decoded bytes.
 * @throws {AppError} `payload_too_large`, or an error with a status. The rest of the body is left
 *   unread.
 */
export async function receiveBody(req: Request, limit: number): Promise<Buffer> {
  const unpacked = unpack(req);
  try {
    return await getRawBody(unpacked ?? req, { limit });
  } catch (cause) {
    if (isHttpFailure(cause) && cause.status === 413) throw tooLarge(limit);
    throw new AppError('invalid_request', UNREADABLE, { cause });
  } finally {
    req.unpipe().pause();
    unpacked?.destroy();
  }
}

/** Null if the body is not compressed. */
function unpack(req: Request): Readable | null {
  const coding = codingOf(req);
  if (coding === 'identity') return null;
  const unpacker = unpackers.get(coding);
  if (!unpacker) throw new AppError('unsupported_media_type', UNKNOWN_CODING);
  const unpacked = req.pipe(unpacker());
  unpacked.on('error', () => undefined); // errors can also occur after the body is rejected
  req.once('close', () => {
    if (!req.readableEnded) unpacked.destroy(new Error('the request was aborted'));
  });
  return unpacked;
}

function codingOf({ headers }: Request): string {
  return (headers['content-encoding'] ?? 'identity').toLowerCase();
}

function announcedBytes({ headers }: Request): number {
  return Number(headers['content-length'] ?? 0);
}

function tooLarge(limit: number): AppError {
  return new AppError(
    'payload_too_large',
    `The request body is larger than ${limit} bytes. Send a smaller body.`,
  );
}
