/**
 * Decodes text in the character sets of mail. Names are the labels of the WHATWG Encoding Standard
 * and the aliases below. What `TextDecoder` lacks is decoded by iconv-lite, or here.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import iconv from 'iconv-lite';
import { decodeIso2022Jp } from './iso-2022.ts';
import { decodeUtf7 } from './utf-7.ts';

/** Names of US-ASCII (IANA). Bytes above 0x7F contradict such a label, so it says nothing. */
const ASCII =
  /^(?:us-?ascii|ascii|us|csascii|646|(?:ansi_)?x3\.4-19(?:68|86)|iso-?ir-?6|cp-?367|ibm-?367|iso-?646-?us|iso_646\.irv:1991|7-?bit)$/;

/** Names without a meaning: senders write them for "not known". */
const UNKNOWN =
  /^(?:x-)?(?:unknown(?:-?8bit)?|user-defined|binary|none|null|undefined|default|8-?bit|_autodetect.*)?$/;

/** Names that are not WHATWG labels. */
const ALIASES: Readonly<Record<string, string>> = {
  'x-utf-8': 'utf-8',
  cp65001: 'utf-8',
  cp50220: 'iso-2022-jp',
  cp50221: 'iso-2022-jp',
  cp50222: 'iso-2022-jp',
  'iso-2022-jp-1': 'iso-2022-jp',
  'iso-2022-jp-2': 'iso-2022-jp',
  'iso-2022-jp-3': 'iso-2022-jp',
  'iso-2022-jp-2004': 'iso-2022-jp',
  'iso-2022-jp-ms': 'iso-2022-jp',
  iso2022jp: 'iso-2022-jp',
  iso2022jp2: 'iso-2022-jp',
  jis: 'iso-2022-jp',
  cp932: 'shift_jis',
  'windows-932': 'shift_jis',
  'x-ms-cp932': 'shift_jis',
  'shift-jisx0213': 'shift_jis',
  'windows-31j': 'shift_jis',
  windows31j: 'shift_jis',
  'sjis-win': 'shift_jis',
  cp943c: 'shift_jis',
  'eucjp-ms': 'euc-jp',
  'eucjp-win': 'euc-jp',
  'extended-unix-code-packed-format-for-japanese': 'euc-jp',
  cp51932: 'euc-jp',
  eucjp: 'euc-jp',
  uhc: 'euc-kr',
  cp949: 'euc-kr',
  ms949: 'euc-kr',
  'x-windows-949': 'euc-kr',
  euckr: 'euc-kr',
  cp936: 'gbk',
  ms936: 'gbk',
  'windows-936': 'gbk',
  'gb-2312': 'gbk',
  'gb2312-80': 'gbk',
  'euc-cn': 'gbk',
  euccn: 'gbk',
  gb18030: 'gb18030',
  'gb-18030': 'gb18030',
  cp54936: 'gb18030',
  cp950: 'big5',
  'windows-950': 'big5',
  'big5-eten': 'big5',
  'x-mac-roman': 'macintosh',
  macroman: 'macintosh',
  'mac-cyrillic': 'x-mac-cyrillic',
  maccyrillic: 'x-mac-cyrillic',
  'hz-gb-2312': 'hz',
  'unicode-1-1-utf-7': 'utf-7',
  utf7: 'utf-7',
  'x-utf-7': 'utf-7',
  'utf-7-imap': 'utf-7',
  csiso2022kr: 'iso-2022-kr',
  utf16: 'utf-16',
  'iso-10646-ucs-2': 'ucs-2',
  'unicode-1-1': 'ucs-2',
  ibm00858: 'cp858',
};

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
/** Labels of mail are few; a bound protects against mail that makes them up. */
const CACHED_NAMES = 256;
const NAMES = new Map<string, string | null>();
const DECODERS = new Map<string, TextDecoder | null>();

/**
 * The name of a character set in one spelling; null if the label is missing, US-ASCII or without a
 * meaning, so that the bytes decide.
 */
export function charsetName(label: string | null): string | null {
  if (label === null) return null;
  const known = NAMES.get(label);
  if (known !== undefined) return known;
  const name = nameOf(label);
  if (NAMES.size < CACHED_NAMES) NAMES.set(label, name);
  return name;
}

function nameOf(label: string): string | null {
  const name = label.toLowerCase().replace(/^[\s"'=]+|[\s"';,]+$/g, '');
  if (ASCII.test(name) || UNKNOWN.test(name)) return null;
  // IANA's names for programs are `cs` before another name; WHATWG labels are some of them.
  const bare = name in ALIASES || isDecodable(name) ? name : name.replace(/^cs/, '');
  const dashed = bare.replace(/^(?:win|cp|windows)[-_ ]?(125\d|874)$/, 'windows-$1');
  return ALIASES[dashed] ?? ALIASES[dashed.replaceAll('_', '-')] ?? dashed;
}

function isDecodable(name: string): boolean {
  return decoderOf(name) !== null || iconv.encodingExists(name);
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
  const name = charsetName(label);
  const marked = markedCharset(bytes, name);
  if (marked !== null) return decodeNamed(bytes, marked) ?? '';
  // UTF-8 has no use for the escapes of ISO-2022-JP.
  const isGuessed = name === null || (name === 'utf-8' && hasJisEscape(bytes));
  const decoded = isGuessed ? null : decodeNamed(bytes, name);
  return decoded ?? decodeUnlabelled(bytes, hint);
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
  const name = charsetName(label);
  const isUsable = name !== null && name !== 'utf-8' && isAsciiBased(name);
  return isUsable && decoderOf(name)?.encoding !== 'windows-1252' ? name : null;
}

function decodeUnlabelled(bytes: Buffer, hint: string | null): string {
  if (hasJisEscape(bytes)) return decodeNamed(bytes, 'iso-2022-jp') ?? '';
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  const usable = usableHint(hint);
  const decoded = usable === null ? null : decodeNamed(bytes, usable);
  return decoded ?? decodeNamed(bytes, 'windows-1252') ?? '';
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
  const name = charsetName(label);
  return name === null || decodeNamed(Buffer.alloc(0), name) !== null;
}

function decodeNamed(bytes: Buffer, name: string): string | null {
  if (name === 'utf-7') return decodeUtf7(bytes);
  if (name === 'hz') return decodeHz(bytes);
  if (name === 'iso-2022-kr') return decodeIso2022Kr(bytes);
  if (name === 'iso-2022-jp') return decodeIso2022Jp(bytes);
  const decoder = decoderOf(name);
  const complete = decoder ? COMPLETE[decoder.encoding] : name;
  if (decoder && complete === undefined) return decoder.decode(bytes);
  return iconv.encodingExists(complete ?? name) ? iconv.decode(bytes, complete ?? name) : null;
}

function decoderOf(name: string): TextDecoder | null {
  const known = DECODERS.get(name);
  if (known !== undefined) return known;
  let decoder: TextDecoder | null = null;
  try {
    decoder = new TextDecoder(name);
    if (DECODERS.size < CACHED_NAMES) DECODERS.set(name, decoder);
  } catch {
    // not a WHATWG label
  }
  return decoder;
}

/** HZ (RFC 1843) marks stretches of GB 2312 whose bytes lack their high bit. */
function decodeHz(bytes: Buffer): string | null {
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
function decodeIso2022Kr(bytes: Buffer): string | null {
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
