/**
 * Finds the header of a mail or a part, in one pass over its lines. A header ends at the first
 * empty line (RFC 5322 section 2.1). Mail of applications breaks that in known ways: there is no
 * empty line, there are no fields at all (below the trace fields of the server, too), a byte order
 * mark precedes a field, lines end in CR CR LF, or a line is no field.
 */
import { decodeRaw } from '../words.ts';

/** A field in the order of the header. */
export interface RawField {
  /** In the original spelling. */
  name: string;
  /**
   * One character per byte, without the line ends of folding (RFC 5322 section 2.2.3) and
   * whitespace at its ends.
   */
  value: string;
}

export interface HeaderBlock {
  fields: RawField[];
  /** Offset of the body. */
  end: number;
  /** False if the range ends inside the header. */
  isComplete: boolean;
  /** The start of lines between the fields that are no fields, decoded. */
  strays: string[];
}

const LONGEST_NAME = 128;
const MAX_STRAYS = 10;
/** Bytes that are shown of adjacent ones. */
const STRAY_BYTES = 400;
/** Precedes a mail in a mailbox file (RFC 4155). */
const MAILBOX_LINE = /^>?From \S+ .*\d:\d\d.*\s*/;

/**
 * Names that a line of text does not have before a colon. After a line that is no field, only such
 * a field shows that the header goes on.
 */
const CERTAIN_FIELD =
  /^(?:from|to|b?cc|subject|date|sender|received|references|comments|keywords|importance|precedence|priority|organi[sz]ation|return-path|[a-z]+(?:-[a-z\d]+)+)$/i;

/** Fields that servers write, below which a text can begin. */
const TRACE_FIELD = /^(?:received|return-path)$/i;

const BLANKS = ' \t\r\n';
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const DASH = 0x2d;
const COLON = 0x3a;

/** Offsets. `end` of one line is without its line end. */
interface Range {
  start: number;
  end: number;
}

interface FieldLines extends Range {
  name: string;
  /** Offset after the colon. */
  value: number;
  hasFolds: boolean;
}

export interface HeaderRange {
  start: number;
  end: number;
  /** True for a line that ends the header without an empty line: a delimiter of a multipart. */
  isDelimiter?: (start: number, end: number) => boolean;
  /** The fields to return; all by default. */
  wants?: (name: string) => boolean;
}

/**
 * The fields of the header that begins at `start`. A header without an end takes the whole range,
 * unless none of its names is certain: then it is text.
 */
export function readHeaderBlock(bytes: Buffer, range: HeaderRange): HeaderBlock {
  const found: FieldLines[] = [];
  let current: FieldLines | null = null;
  /** Where the body begins if a line before the empty line is no field. */
  let bodyAt = range.start;
  /** The first line that is no field since the last certain field. */
  let junkAt: number | null = null;
  const strays: Range[] = [];
  let isText = true;
  let end = range.end;
  let isComplete = false;
  for (let at = range.start; at < range.end;) {
    const lf = bytes.indexOf(LF, at);
    const next = lf < 0 || lf >= range.end ? range.end : lf + 1;
    const line = { start: at, end: textEnd(bytes, at, next) };
    if (line.end === line.start && next > line.end) {
      end = next;
      isComplete = true;
      isText = false;
      break;
    }
    const first = bytes[at];
    if (first === DASH && bytes[at + 1] === DASH && range.isDelimiter?.(line.start, line.end)) {
      end = at;
      isComplete = true;
      break;
    }
    if (first === SPACE || first === TAB) {
      if (current) {
        current.end = line.end;
        current.hasFolds = true;
        if (junkAt === null && bodyAt === line.start) bodyAt = next;
      } else {
        junkAt ??= at;
      }
    } else {
      current = fieldStart(bytes, line);
      if (!current) {
        junkAt ??= at;
      } else {
        if (range.wants?.(current.name) ?? true) found.push(current);
        if (CERTAIN_FIELD.test(current.name)) {
          if (junkAt !== null && strays.length < MAX_STRAYS)
            strays.push({ start: junkAt, end: at });
          junkAt = null;
          bodyAt = next;
          isText &&= TRACE_FIELD.test(current.name);
        }
      }
    }
    at = next;
  }
  if (junkAt !== null || (isText && (isComplete || range.end === bytes.length))) {
    end = bodyAt;
    isComplete = true;
    while (found.length > 0 && (found.at(-1)?.start ?? 0) >= bodyAt) found.pop();
  }
  return {
    fields: found.map((field) => unfolded(bytes, field)),
    end,
    isComplete,
    strays: strays.map((lines) => strayText(bytes, lines)).filter((text) => text !== ''),
  };
}

function strayText(bytes: Buffer, { start, end }: Range): string {
  const shown = bytes.toString('latin1', start, Math.min(end, start + STRAY_BYTES));
  return decodeRaw(shown.replace(MAILBOX_LINE, '')).replace(/\s+/g, ' ').trim();
}

/** The mail with LF in place of CR if no line ends in LF, as old programs write it. */
export function withLineFeeds(raw: Buffer): Buffer {
  if (raw.includes(LF) || !raw.includes(CR)) return raw;
  return Buffer.from(raw.map((byte) => (byte === CR ? LF : byte)));
}

/** Without the LF and the CRs before it. */
function textEnd(bytes: Buffer, start: number, next: number): number {
  let end = next;
  if (end > start && bytes[end - 1] === LF) end -= 1;
  while (end > start && bytes[end - 1] === CR) end -= 1;
  return end;
}

/** RFC 5322 section 2.2; obsolete syntax allows whitespace before the colon (section 4.5). */
function fieldStart(bytes: Buffer, { start, end }: Range): FieldLines | null {
  const isMarked = bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
  const at = isMarked ? start + 3 : start;
  const limit = Math.min(end, at + LONGEST_NAME);
  let nameEnd = at;
  while (nameEnd < limit && isNameByte(bytes[nameEnd] ?? 0)) nameEnd += 1;
  let colon = nameEnd;
  while (colon < limit && (bytes[colon] === SPACE || bytes[colon] === TAB)) colon += 1;
  if (nameEnd === at || colon >= end || bytes[colon] !== COLON) return null;
  const name = bytes.toString('latin1', at, nameEnd);
  return { name, start, end, value: colon + 1, hasFolds: false };
}

function isNameByte(byte: number): boolean {
  return byte > SPACE && byte < 0x7f && byte !== COLON;
}

function unfolded(bytes: Buffer, { name, value, end, hasFolds }: FieldLines): RawField {
  const text = bytes.toString('latin1', value, end);
  const line = hasFolds || text.includes('\r') ? withoutLineEnds(text) : text;
  return { name, value: withoutBlanks(line) };
}

/** A CR that ends no line becomes a space. */
function withoutLineEnds(text: string): string {
  let result = '';
  for (const line of text.split('\n')) {
    let end = line.length;
    while (end > 0 && line.charCodeAt(end - 1) === CR) end -= 1;
    result += line.slice(0, end);
  }
  return result.replaceAll('\r', ' ');
}

/**
 * Text of a header field, one character per byte, without the whitespace at its ends (RFC 5322
 * section 2.2.2). `trim` would take A0 for a space, which is the last byte of `à` in UTF-8; a
 * pattern would need quadratic time for many blanks.
 */
export function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANKS.includes(text.charAt(start))) start += 1;
  while (end > start && BLANKS.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
