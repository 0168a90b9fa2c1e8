/**
 * Decodes quoted-printable (RFC 2045 section 6.7) in linear time. The decoder of the parser takes
 * quadratic time for runs of spaces: 1 MB of them took more than a minute.
 */
import { Transform, type TransformCallback } from 'node:stream';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const EQUALS = 0x3d;

/** Reads all input before it writes output, like the decoder it replaces. */
export class QuotedPrintableDecoder extends Transform {
  readonly #chunks: Buffer[] = [];

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#chunks.push(chunk);
    done();
  }

  override _flush(done: TransformCallback): void {
    if (this.#chunks.length > 0) this.push(decodeQuotedPrintable(Buffer.concat(this.#chunks)));
    done();
  }
}

/** Decodes in place. Invalid sequences stay unchanged. */
export function decodeQuotedPrintable(bytes: Buffer): Buffer {
  return decodeEscapes(withoutSoftBreaks(withoutTrailingSpace(bytes)));
}

/** RFC 2045 section 6.7 (3): spaces and tabs at the end of a line were added in transport. */
function withoutTrailingSpace(bytes: Buffer): Buffer {
  let written = 0;
  let lineEnd = 0;
  for (const byte of bytes) {
    if (byte === LF || byte === CR) written = lineEnd;
    bytes[written] = byte;
    written += 1;
    if (byte !== SPACE && byte !== TAB) lineEnd = written;
  }
  return bytes.subarray(0, lineEnd);
}

function withoutSoftBreaks(bytes: Buffer): Buffer {
  let written = 0;
  for (let read = 0; read < bytes.length; read += 1) {
    const lineEnd = bytes[read + 1] === CR ? read + 2 : read + 1;
    if (bytes[read] === EQUALS && (bytes[lineEnd] === LF || read + 1 === bytes.length)) {
      read = lineEnd;
    } else {
      bytes[written] = bytes[read] ?? 0;
      written += 1;
    }
  }
  return bytes.subarray(0, written);
}

function decodeEscapes(bytes: Buffer): Buffer {
  let written = 0;
  for (let read = 0; read < bytes.length; read += 1) {
    const byte = bytes[read] ?? 0;
    const high = byte === EQUALS ? hexDigit(bytes[read + 1]) : -1;
    const low = high < 0 ? -1 : hexDigit(bytes[read + 2]);
    if (low >= 0) read += 2;
    bytes[written] = low < 0 ? byte : high * 16 + low;
    written += 1;
  }
  return bytes.subarray(0, written);
}

/** Returns -1 for other bytes. */
function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
