/**
 * Writes the header of a message anew for the parser: its readable fields, unfolded, in UTF-8, with
 * one encoded word for each run of them. The length is limited, because the parser's time per byte
 * grows with the length of a field.
 */
import type { HeaderLines } from 'mailparser';
import { ADDRESS_FIELDS, FACT_FIELDS } from '../facts/header-facts.ts';
import { MAX_ADDRESSES, firstAddresses } from './address-field.ts';
import { type ContentFields, identifier } from './content-fields.ts';
import type { RawField } from './header-block.ts';
import { usableHint } from '../charsets.ts';
import {
  type Hint,
  canonicalText,
  canonicalEncodedWords,
  charsetOfEncodedWords,
  rawInUtf8,
} from '../words.ts';

/** Bytes kept of all fields of one name. */
const FIELD_BYTES = 128 * 1024;

/** Fields that the parser reads. */
const PARSED_FIELDS = new Set([...ADDRESS_FIELDS, 'subject', 'message-id']);
/** The others are passed on as lines. */
const KEPT_FIELDS = new Set([...PARSED_FIELDS, ...FACT_FIELDS]);

export function isKept(name: string): boolean {
  return KEPT_FIELDS.has(name.toLowerCase());
}

type Text = Pick<ContentFields, 'type' | 'charset'>;

/**
 * The character set of the encoded words in the fields that are read, else the one that a text
 * declares.
 */
export function hintOf(fields: RawField[], texts: () => Text[]): Hint {
  let found: string | null | undefined;
  const inWords = () => {
    const values = fields.flatMap(({ name, value }) => (isKept(name) ? [value] : []));
    return charsetOfEncodedWords(values.join('\n'));
  };
  const ofTexts = () => {
    for (const { type, charset } of texts()) {
      const usable = type.startsWith('text/') ? usableHint(charset) : null;
      if (usable !== null) return usable;
    }
    return null;
  };
  return () => (found === undefined ? (found = inWords() ?? ofTexts()) : found);
}

/** The remaining budget for fields of one name. */
interface Room {
  bytes: number;
  addresses: number;
  /** A field did not fit. */
  isFull: boolean;
}

export interface MailHeader {
  /** Lines with their line ends, one character per byte. */
  lines: string;
  /** The same lines, and those of fields that the parser does not read. */
  headerLines: HeaderLines;
  /** Names of truncated fields. */
  cut: string[];
}

/**
 * Fields of one name keep their order.
 *
 * @param hint for 8-bit text.
 * @param fieldBytes kept of all fields of one name.
 */
export function mailHeader(fields: RawField[], hint: Hint, fieldBytes = FIELD_BYTES): MailHeader {
  const rooms = new Map<string, Room>();
  let lines = '';
  const headerLines: { key: string; line: string }[] = [];
  for (const field of fields) {
    const name = field.name.toLowerCase();
    if (!KEPT_FIELDS.has(name)) continue;
    const room = rooms.get(name) ?? { bytes: fieldBytes, addresses: MAX_ADDRESSES, isFull: false };
    rooms.set(name, room);
    if (room.isFull) continue;
    const isParsed = PARSED_FIELDS.has(name);
    // In UTF-8 a value is not shorter than its bytes.
    const read = field.value.slice(0, room.bytes + 1);
    const value = kept(name, isParsed ? rawInUtf8(read, hint) : field.value, room);
    if (isParsed) lines += `${name}: ${value}\r\n`;
    headerLines.push({ key: name, line: `${name}: ${value}` });
  }
  const cut = [...rooms].flatMap(([name, { isFull }]) => (isFull ? [name] : []));
  return { lines, headerLines, cut };
}

function kept(name: string, value: string, room: Room): string {
  if (ADDRESS_FIELDS.has(name)) {
    const { text, entries, isCut } = firstAddresses(value, room.addresses, room.bytes);
    room.addresses -= entries;
    room.bytes -= text.length;
    room.isFull = isCut || room.bytes <= 0;
    return canonicalEncodedWords(text, isAddressList);
  }
  const start = beginning(value, room.bytes);
  room.bytes -= start.length;
  room.isFull = start.length < value.length;
  if (name === 'subject') return canonicalText(start);
  if (name !== 'message-id') return start;
  const id = identifier(start);
  return id === null ? '' : `<${id}>`;
}

/**
 * The parser reads addresses from an entry that is only words of encoding B, as some senders write.
 */
function isAddressList(decoded: string): boolean {
  return firstAddresses(decoded).text === decoded;
}

/** Does not split a character of UTF-8. */
function beginning(value: string, length: number): string {
  if (value.length <= length) return value;
  let end = length;
  while (end > length - 3 && /[\x80-\xbf]/.test(value.charAt(end))) end -= 1;
  return value.slice(0, end);
}
