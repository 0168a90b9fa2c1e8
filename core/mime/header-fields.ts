/**
 * Extracts the header fields of a message from the header of a mail or a part. The header is read
 * in one pass. The result is limited in size, because the parser's time per byte grows with the
 * length of a field.
 */
import { MAX_ADDRESSES, firstAddresses } from './address-list.ts';
import { FACT_ADDRESS_FIELDS, FACT_FIELDS } from './facts/header-facts.ts';
import { type DecodeWord, eightBitAsUtf8, eightBitParametersAsUtf8 } from './eight-bit-header.ts';

/** Bytes kept of all fields of one name. */
const FIELD_BYTES = 128 * 1024;
const CONTENT_FIELD_BYTES = 16 * 1024;

const ADDRESS_FIELDS = new Set(['from', 'to', 'cc', ...FACT_ADDRESS_FIELDS]);
const MAIL_FIELDS = new Set([...ADDRESS_FIELDS, 'subject', 'message-id', ...FACT_FIELDS]);
const CONTENT_FIELDS = new Set([
  'content-type',
  'content-disposition',
  'content-transfer-encoding',
  'content-id',
  'content-description',
]);
const LONGEST_NAME = 'content-transfer-encoding'.length;

/** RFC 5322 sections 2.2 and 4.5. */
const FIELD_START = /^[\x21-\x39\x3b-\x7e]+[ \t]*:/;
const MAX_LINE = 998;

const FOLDED = /^[ \t]/;

interface Field {
  /** In lower case. */
  name: string;
  /** Unfolded, one character per byte. */
  value: string;
}

/** The remaining budget for fields of one name. */
interface Room {
  bytes: number;
  addresses: number;
  /** A field did not fit. */
  isFull: boolean;
}

export interface ReadableHeader {
  /** A header block without folding, in UTF-8. */
  header: Buffer;
  /** Names of truncated fields. */
  cut: string[];
}

/**
 * Keeps the readable fields of a mail, or only those of a part. Fields of one name keep their
 * order.
 */
export function readableHeader(
  raw: Buffer,
  isPart: boolean,
  decodeWord: DecodeWord,
): ReadableHeader {
  const rooms = new Map<string, Room>();
  const lines: string[] = [];
  for (const { name, value } of wantedFields(raw, isPart)) {
    const room = rooms.get(name) ?? roomFor(name);
    rooms.set(name, room);
    if (room.isFull) continue;
    const isAddressList = ADDRESS_FIELDS.has(name);
    const kept = isAddressList ? keepAddresses(value, room) : beginning(value, room.bytes);
    room.bytes -= kept.length;
    room.isFull = kept.length < value.length;
    const readable = CONTENT_FIELDS.has(name) ? eightBitParametersAsUtf8(kept, decodeWord) : kept;
    lines.push(`${name}: ${eightBitAsUtf8(readable, isAddressList, decodeWord)}\r\n`);
  }
  const cut = [...rooms].flatMap(([name, { isFull }]) => (isFull ? [name] : []));
  return { header: Buffer.from(lines.join(''), 'latin1'), cut };
}

/**
 * True if no line before the first empty line starts a header field, and there are lines. Such a
 * mail is all body.
 */
export function lacksHeader(raw: Buffer): boolean {
  for (let at = 0; at < raw.length;) {
    const lineEnd = raw.indexOf('\n', at);
    const end = lineEnd < 0 ? raw.length : lineEnd;
    const line = raw.toString('latin1', at, Math.min(end, at + MAX_LINE));
    if (FIELD_START.test(line)) return false;
    if (line === '' || line === '\r') return at > 0;
    at = end + 1;
  }
  return raw.length > 0;
}

function* wantedFields(raw: Buffer, isPart: boolean): Generator<Field> {
  let field: { name: string; lines: string[] } | null = null;
  for (const line of linesOf(raw)) {
    if (FOLDED.test(line)) {
      field?.lines.push(line.replace(/^[ \t]+/, ' '));
      continue;
    }
    if (field) yield unfolded(field);
    const colon = line.slice(0, 2 * LONGEST_NAME).indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const isWanted = CONTENT_FIELDS.has(name) || (!isPart && MAIL_FIELDS.has(name));
    field = isWanted ? { name, lines: [line.slice(colon + 1)] } : null;
  }
  if (field) yield unfolded(field);
}

/** A generator instead of an array: a header can have 500,000 lines. */
function* linesOf(raw: Buffer): Generator<string> {
  const text = raw.toString('latin1');
  for (let at = 0; at < text.length;) {
    const lineEnd = text.indexOf('\n', at);
    const end = lineEnd < 0 ? text.length : lineEnd;
    yield text.slice(at, end > at && text.charCodeAt(end - 1) === 0x0d ? end - 1 : end);
    at = end + 1;
  }
}

/** A bare CR also folds, as in the parser. */
function unfolded({ name, lines }: { name: string; lines: string[] }): Field {
  return { name, value: lines.join('').replace(/\r[ \t]*/g, ' ') };
}

function roomFor(name: string): Room {
  const bytes = CONTENT_FIELDS.has(name) ? CONTENT_FIELD_BYTES : FIELD_BYTES;
  return { bytes, addresses: MAX_ADDRESSES, isFull: false };
}

function keepAddresses(list: string, room: Room): string {
  if (room.addresses === 0) return '';
  const { text, entries } = firstAddresses(list, room.addresses, room.bytes);
  room.addresses -= entries;
  return text;
}

function beginning(value: string, length: number): string {
  if (value.length <= length) return value;
  let end = length;
  while (end > length - 3 && /[\x80-\xbf]/.test(value.charAt(end))) end -= 1; // does not split a UTF-8 character
  return value.slice(0, end);
}
