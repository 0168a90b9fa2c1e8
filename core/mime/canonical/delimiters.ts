/** Lines that can be delimiters of a multipart (RFC 2046 section 5.1.1). */
import type { ContentFields } from './content-fields.ts';

/** Longest boundary that is accepted; RFC 2046 section 5.1.1 allows 70. */
export const MAX_BOUNDARY = 1000;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const DASH = 0x2d;
const NEAR_BYTES = 80;
const LINE_WITH_DASHES = Buffer.from('\n--');

export interface Line {
  /** Offset of the first byte. */
  start: number;
  /** Offset after the line end. */
  end: number;
}

/** The next line that begins with two dashes. @param start of a line. */
export function nextDashes(bytes: Buffer, start: number, end: number): Line | null {
  let at = start;
  if (bytes[at] !== DASH || bytes[at + 1] !== DASH) {
    const found = bytes.indexOf(LINE_WITH_DASHES, at);
    if (found < 0) return null;
    at = found + 1;
  }
  if (at >= end) return null;
  return { start: at, end: lineEnd(bytes, at, end) };
}

/** Most lines are short, for which a search by the platform takes longer. */
function lineEnd(bytes: Buffer, start: number, end: number): number {
  const near = Math.min(start + NEAR_BYTES, end);
  for (let at = start; at < near; at += 1) if (bytes[at] === LF) return at + 1;
  const lf = near < end ? bytes.indexOf(LF, near) : -1;
  return lf < 0 ? end : Math.min(lf + 1, end);
}

/**
 * What follows the dashes, without whitespace at its end (RFC 2046 section 5.1.1 "transport
 * padding"); null if there is no boundary, or it is too long.
 */
export function dashedText(bytes: Buffer, { start, end }: Line): string | null {
  let last = end;
  while (last > start && isBlank(bytes[last - 1])) last -= 1;
  const isPossible = last - start > 2 && last - start <= MAX_BOUNDARY + 4;
  return isPossible ? bytes.toString('latin1', start + 2, last) : null;
}

/** The first line that is a delimiter with this boundary. @param start of a line. */
export function findDelimiter(
  bytes: Buffer,
  boundary: string,
  start: number,
  end: number,
): Line | null {
  for (let at = start; at < end;) {
    const line = nextDashes(bytes, at, end);
    if (!line) return null;
    const text = dashedText(bytes, line);
    if (text === boundary || text === `${boundary}--`) return line;
    at = line.end;
  }
  return null;
}

/** The offset of the line end before a delimiter, which belongs to the delimiter. */
export function beforeLineEnd(bytes: Buffer, start: number, delimiter: number): number {
  let end = delimiter;
  if (end > start && bytes[end - 1] === LF) end -= 1;
  if (end > start && bytes[end - 1] === CR) end -= 1;
  return end;
}

/** The boundary as one character per byte, without the whitespace that it cannot end with. */
export function declaredBoundary({ parameters }: ContentFields): string {
  const boundary = parameters.get('boundary') ?? '';
  return Buffer.from(boundary.trimEnd()).toString('latin1');
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB || byte === CR || byte === LF;
}
