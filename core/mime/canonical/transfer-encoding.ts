/**
 * Decodes transfer encodings (RFC 2045 sections 6.7 and 6.8) in linear time. Invalid input is
 * decoded as far as possible.
 */
import { decodeBase64 } from '../base64.ts';
import type { TransferEncoding } from './content-fields.ts';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const EQUALS = 0x3d;

/** The decoded bytes; they share memory with the given ones only if there is nothing to decode. */
export function decodeTransfer(bytes: Buffer, encoding: TransferEncoding): Buffer {
  if (encoding === 'base64') return decodeBase64(bytes);
  return encoding === 'quoted-printable' ? decodeQuotedPrintable(Buffer.from(bytes)) : bytes;
}

/** Decodes in place. Invalid sequences stay unchanged. */
function decodeQuotedPrintable(bytes: Buffer): Buffer {
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
  let written = bytes.indexOf(EQUALS);
  if (written < 0) return bytes;
  for (let read = written; read < bytes.length; read += 1) {
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
