/**
 * The body of a request to S3, held against what its headers say of it: a SHA-256, or chunks with
 * a checksum as trailer.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import { S3Refusal } from './s3-signature.ts';

/**
 * Passes the content on.
 * @param payload as `checkSignature` returned it
 * @throws {S3Refusal} at the end of a body that is another one than was said
 */
export async function* contentOf(
  body: AsyncIterable<Buffer>,
  headers: IncomingHttpHeaders,
  payload: string,
): AsyncGenerator<Buffer> {
  if (payload === 'UNSIGNED-PAYLOAD') {
    yield* body;
  } else if (payload === 'STREAMING-UNSIGNED-PAYLOAD-TRAILER') {
    yield* ofChunks(body, headers);
  } else if (/^[0-9a-f]{64}$/.test(payload)) {
    const hash = createHash('sha256');
    for await (const part of body) {
      hash.update(part);
      yield part;
    }
    if (hash.digest('hex') !== payload) throw new S3Refusal(400, 'XAmzContentSHA256Mismatch');
  } else {
    throw new S3Refusal(501, 'NotImplemented', `The payload ${payload} is not read`);
  }
}

/** Decodes `aws-chunked`: `SIZE CRLF CONTENT CRLF` repeated, `0 CRLF`, trailers, `CRLF`. */
async function* ofChunks(
  body: AsyncIterable<Buffer>,
  headers: IncomingHttpHeaders,
): AsyncGenerator<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part);
  const all = Buffer.concat(parts);
  let at = 0;
  const line = () => {
    const end = all.indexOf('\r\n', at);
    if (end < 0) throw new S3Refusal(400, 'IncompleteBody');
    const text = all.toString('latin1', at, end);
    at = end + 2;
    return text;
  };
  let size = 0;
  let sum = 0;
  for (;;) {
    const length = Number.parseInt(line(), 16);
    if (!(length <= all.length - at)) throw new S3Refusal(400, 'IncompleteBody');
    if (length === 0) break;
    const chunk = all.subarray(at, at + length);
    at += length;
    if (line() !== '') throw new S3Refusal(400, 'IncompleteBody');
    size += length;
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (size !== Number(headers['x-amz-decoded-content-length'])) {
    throw new S3Refusal(400, 'IncompleteBody');
  }
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(sum);
  const trailer = `x-amz-checksum-crc32:${checksum.toString('base64')}`;
  if (headers['x-amz-trailer'] !== 'x-amz-checksum-crc32') {
    throw new S3Refusal(501, 'NotImplemented', 'Only a CRC32 is read as trailer');
  }
  if (line() !== trailer) throw new S3Refusal(400, 'BadDigest');
}
