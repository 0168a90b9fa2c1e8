/**
 * Decodes text in the character sets of mail. What `TextDecoder` lacks is decoded by iconv-lite, or
 * here.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import iconv from 'iconv-lite';
import { boundedCache } from '../bounded-cache.ts';
import { isKnownName, nameOf } from './charset-names.ts';
import { decodeIso2022Jp } from './iso-2022.ts';
import { decodeUtf7 } from './utf-7.ts';

/** Sets whose bytes below 0x80 are not ASCII, so each stretch of text must be decoded whole. */
const NOT_ASCII_BASED = /^(?:utf-?(?:7|16|32)|iso-2022|hz$|ucs-|unicode)/;

const LF = 0x0a;
const SO = 0x0e;
const SI = 0x0f;
const SPACE = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const TILDE = 0x7e;
const HIGH_BIT = 0x80;

/** Sets that `TextDecoder` of Node.js lacks characters of, and their names in iconv-lite. */
const COMPLETE: Readonly<Record<string, string>> = { 'euc-kr': 'cp949', big5: 'big5hkscs' };

/** Escapes of ISO-2022-JP (RFC 1468) to two-byte characters, and to half-width ones. */
const JIS_ESCAPES = ['\x1b$', '\x1b(I'];

/** What neither of both reads well. */
const OWN_DECODERS = new Map<string, (bytes: Buffer) => string>([
  ['utf-7', decodeUtf7],
  ['hz', decodeHz],
  ['iso-2022-kr', decodeIso2022Kr],
  ['iso-2022-jp', decodeIso2022Jp],
]);

interface Charset {
  /** In one spelling; null if the bytes decide, without a usable label. */
  name: string | null;
  /** The WHATWG name of the set that `TextDecoder` reads; null for other sets. */
  encoding: string | null;
  /** Null for a name that is not known. */
  decode: ((bytes: Buffer) => string) | null;
}

/** Characters. The longest known label has 45. */
const MAX_LABEL = 64;
const TOO_LONG: Charset = { name: '', encoding: null, decode: null };
const UNLABELLED: Charset = { name: null, encoding: null, decode: null };
/** Labels of mail are few; a bound protects against mail that makes them up. */
const CHARSETS = boundedCache<Charset>(256);

function charsetOf(label: string): Charset {
  if (label.length > MAX_LABEL) return TOO_LONG;
  const known = CHARSETS.get(label);
  if (known !== undefined) return known;
  const name = nameOf(label);
  const charset = name === null ? UNLABELLED : { name, ...decoderOf(name) };
  CHARSETS.set(label, charset);
  return charset;
}

/**
 * The name of a character set in one spelling; null if the label is missing, US-ASCII or without a
 * meaning, so that the bytes decide.
 */
export function charsetName(label: string | null): string | null {
  return label === null ? null : charsetOf(label).name;
}

/** True for a set in which ASCII text has the same bytes. */
export function isAsciiBased(label: string | null): boolean {
  const name = charsetName(label);
  return name === null || !NOT_ASCII_BASED.test(name);
}

/**
 * Decodes in the declared character set. Without a usable label, and for an unknown one, the set is
 * guessed: by a byte order mark, the escapes of ISO-2022-JP, valid UTF-8, then `hint`, then
 * windows-1252. Undecodable bytes become U+FFFD.
 *
 * @param hint label of the set that the other text of the mail is in.
 */
export function decodeCharset(
  bytes: Buffer,
  label: string | null,
  hint: string | null = null,
): string {
  const { name, decode } = label === null ? UNLABELLED : charsetOf(label);
  const marked = markedCharset(bytes, name);
  if (marked !== null) return decodeNamed(bytes, marked);
  // UTF-8 has no use for the escapes of ISO-2022-JP.
  if (decode === null || (name === 'utf-8' && hasJisEscape(bytes))) {
    return decodeUnlabelled(bytes, hint);
  }
  return decode(bytes);
}

/** True if the text is UTF-8 under its label, so its bytes need no decoding. */
export function isUtf8Text(bytes: Buffer, label: string | null): boolean {
  const name = charsetName(label);
  return (name === null || name === 'utf-8') && isUtf8(bytes) && !hasJisEscape(bytes);
}

/**
 * The name of a character set that can tell the meaning of unlabelled 8-bit text; null for others,
 * and for windows-1252, which such text is read in anyway.
 */
export function usableHint(label: string | null): string | null {
  if (label === null) return null;
  const { name, encoding } = charsetOf(label);
  const isUsable = name !== null && name !== 'utf-8' && isAsciiBased(name);
  return isUsable && encoding !== 'windows-1252' ? name : null;
}

function decodeUnlabelled(bytes: Buffer, hint: string | null): string {
  if (hasJisEscape(bytes)) return decodeNamed(bytes, 'iso-2022-jp');
  if (isUtf8(bytes)) return decodeNamed(bytes, 'utf-8');
  const usable = usableHint(hint);
  const decode = usable === null ? null : charsetOf(usable).decode;
  return decode?.(bytes) ?? decodeNamed(bytes, 'windows-1252');
}

/** Only for bytes without any above 0x7F, because ISO-2022-JP has none. */
function hasJisEscape(bytes: Buffer): boolean {
  return JIS_ESCAPES.some((escape) => bytes.includes(escape)) && isAscii(bytes);
}

/** RFC 2781 sections 3.2 and 4.3, RFC 3629 section 6. */
function markedCharset(bytes: Buffer, name: string | null): string | null {
  const isWide = name === 'utf-16' || name === 'unicode' || name === 'ucs-2';
  if (name !== null && !isWide && !/^utf-(?:8|16)/.test(name)) return null;
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe && bytes[2] !== 0) return 'utf-16le';
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (!isWide) return null;
  return isUtf8(bytes) && !bytes.includes(0) ? 'utf-8' : wideOrder(bytes);
}

/** RFC 2781 section 4.3: without a mark the order is big-endian, unless the text says otherwise. */
function wideOrder(bytes: Buffer): string {
  let even = 0;
  let odd = 0;
  for (let at = 0; at + 1 < bytes.length && at < 1024; at += 2) {
    if (bytes[at] === 0) even += 1;
    if (bytes[at + 1] === 0) odd += 1;
  }
  return odd > even ? 'utf-16le' : 'utf-16be';
}

/** False for a label with a meaning that is not known here: such text is guessed. */
export function isReadable(label: string | null): boolean {
  if (label === null) return true;
  const { name, decode } = charsetOf(label);
  return name === null || decode !== null;
}

/** @param name of a set that is known. */
function decodeNamed(bytes: Buffer, name: string): string {
  return charsetOf(name).decode?.(bytes) ?? '';
}

function decoderOf(name: string): Pick<Charset, 'encoding' | 'decode'> {
  const own = OWN_DECODERS.get(name);
  if (own) return { encoding: null, decode: own };
  if (!isKnownName(name)) return { encoding: null, decode: null };
  const decoder = textDecoder(name);
  const encoding = decoder?.encoding ?? null;
  const complete = encoding === null ? name : COMPLETE[encoding];
  if (decoder && complete === undefined) {
    return { encoding, decode: (bytes) => decoder.decode(bytes) };
  }
  const exists = complete !== undefined && iconv.encodingExists(complete);
  return { encoding, decode: exists ? (bytes) => iconv.decode(bytes, complete) : null };
}

/** Null if the name is not a WHATWG label. */
function textDecoder(name: string): TextDecoder | null {
  try {
    return new TextDecoder(name);
  } catch {
    return null;
  }
}

/** HZ (RFC 1843) marks stretches of GB 2312 whose bytes lack their high bit. */
function decodeHz(bytes: Buffer): string {
  const result = Buffer.alloc(bytes.length);
  let written = 0;
  let high = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const next = bytes[at + 1];
    if (byte === LF) high = 0; // section 2: a stretch does not go beyond its line
    if (byte === TILDE && next === (high === 0 ? OPENING : CLOSING)) {
      high = HIGH_BIT - high;
      at += 1;
      continue;
    }
    const isEscape = byte === TILDE && high === 0;
    if (isEscape && (next === TILDE || next === LF)) at += 1;
    if (isEscape && next === LF) continue;
    result[written] = byte | (byte > SPACE ? high : 0);
    written += 1;
    if (high === 0 || byte <= SPACE) continue;
    at += 1; // the second byte of a character can be a tilde
    result[written] = (bytes[at] ?? 0) | high;
    written += 1;
  }
  return decodeNamed(result.subarray(0, written), 'gbk');
}

/** ISO-2022-KR (RFC 1557) marks stretches of EUC-KR in the same way, by SO and SI. */
function decodeIso2022Kr(bytes: Buffer): string {
  const text = bytes.toString('latin1').replaceAll('\x1b$)C', '');
  const result = Buffer.alloc(text.length);
  let written = 0;
  let high = 0;
  for (const byte of Buffer.from(text, 'latin1')) {
    if (byte === SO) high = HIGH_BIT;
    else if (byte === SI) high = 0;
    else {
      result[written] = byte | (byte > SPACE ? high : 0);
      written += 1;
    }
  }
  return decodeNamed(result.subarray(0, written), 'euc-kr');
}
