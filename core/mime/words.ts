/**
 * Decodes the text of header fields: encoded words (RFC 2047, with the language of RFC 2231 section
 * 5) and 8-bit bytes (UTF-8, RFC 6532; some senders write other sets). The only decoder of words:
 * messages, header fields, file names, search and waits show the same text.
 *
 * Fields are given as one character per byte.
 */
import { isUtf8 } from 'node:buffer';
import { decodeBase64 } from './base64.ts';
import { decodeCharset, usableHint } from './charsets.ts';

const WORD = /=\?([\w\-.:()+]+)(?:\*[\w-]*)?\?([BbQq])\?([^?]*)\?=/g;
/**
 * In an address list, special characters cannot occur in an encoded word (RFC 2047 section 5 (3)).
 */
const WORD_OF_PHRASE = /=\?([\w\-.:()+]+)(?:\*[\w-]*)?\?([BbQq])\?([^?<>",;:()@\\]*)\?=/g;
/** Text that contains a word, ends the line, or begins or ends with a blank. */
const NOT_AS_IT_IS = /=\?|\p{Cc}|^\s|\s$/u;
/** Text that an address list can contain as it is. */
const PHRASE = /^[^\s"(),:;<>@[\]\\=]+(?: [^\s"(),:;<>@[\]\\=]+)*$/;
const BLANK = /^[ \t\r\n]*$/;
const EIGHT_BIT = /[\x80-\xff]/;
const NOT_ASCII = /[\u0080-\uffff]/;
const EIGHT_BIT_RUN = /[\x80-\xff]+/g;

/** Splits a field so that each second piece is a word. */
const WHOLE_WORD = /(=\?[^?\s]+\?[BbQq]\?[^?]*\?=)/;

const ESCAPED = /=([0-9A-Fa-f]{2})/g;

/** The character set that other text of the mail is in, or null. */
export type Hint = () => string | null;

interface Word {
  charset: string;
  isBase64: boolean;
  /** Bytes of the word, one character each. */
  bytes: string;
  /** The bytes that were written as they are, if there are 8-bit ones among them. */
  mixed: string | null;
}

/** Adjacent encoded words, or the text between them. */
interface Piece {
  text: string;
  /** True if the text is of encoded words. */
  isEncoded: boolean;
  /** True if all its words have encoding B. */
  isBase64: boolean;
}

/** The text of an unstructured field, or of a phrase. */
export function decodeEncodedWords(field: string): string {
  if (!field.includes('=?')) return decodeRaw(field);
  let text = '';
  for (const piece of pieces(field, WORD)) text += piece.text;
  return text;
}

/**
 * The same field in UTF-8, in which no encoded word is left unless its text has the syntax of an
 * address list: then one of UTF-8 takes the place of each run of them.
 *
 * @param keepsBase64 whether the word that replaces words of encoding B has it as well.
 */
export function canonicalEncodedWords(
  field: string,
  keepsBase64: (text: string) => boolean,
): string {
  if (!field.includes('=?')) return toBytes(decodeRaw(field));
  let result = '';
  for (const { text, isEncoded, isBase64 } of pieces(field, WORD_OF_PHRASE)) {
    const isPlain = !isEncoded || PHRASE.test(text);
    result += isPlain ? toBytes(text) : encodedWord(text, isBase64 && keepsBase64(text));
  }
  return result;
}

/** The text of an unstructured field in UTF-8, as an encoded word if it would be read otherwise. */
export function canonicalText(field: string): string {
  const text = decodeEncodedWords(field);
  const bytes = toBytes(text);
  const isTrimmed = bytes.endsWith('\xa0'); // the parser takes this byte for a space
  return isTrimmed || NOT_AS_IT_IS.test(text) ? encodedWord(text, false) : bytes;
}

/** The character set of the first encoded word that can be a hint for other text; null if none. */
export function charsetOfEncodedWords(field: string): string | null {
  if (!field.includes('=?')) return null;
  for (const [, label = ''] of field.matchAll(WORD)) {
    const name = usableHint(label);
    if (name !== null) return name;
  }
  return null;
}

/**
 * The field with UTF-8 in place of all other 8-bit text and of ISO-2022-JP outside of its encoded
 * words. Their bytes can be specials of an address list.
 */
export function rawInUtf8(field: string, hint: Hint): string {
  if (!field.includes('\x1b') && (!EIGHT_BIT.test(field) || isUtf8(Buffer.from(field, 'latin1')))) {
    return field;
  }
  const pieces = field.split(WHOLE_WORD);
  return pieces.map((piece, n) => (n % 2 === 1 ? piece : toBytes(decodeRaw(piece, hint)))).join('');
}

/**
 * 8-bit text without encoded words: UTF-8 if valid, else of the set of the hint if it can be, else
 * each run of bytes is UTF-8 if valid, or windows-1252.
 */
export function decodeRaw(field: string, hint: Hint = () => null): string {
  if (!EIGHT_BIT.test(field)) {
    return field.includes('\x1b') ? decodeCharset(Buffer.from(field, 'latin1'), null) : field;
  }
  const bytes = Buffer.from(field, 'latin1');
  const charset = isUtf8(bytes) ? null : hint();
  const decoded = charset === null ? '\uFFFD' : decodeCharset(bytes, charset);
  if (!decoded.includes('\uFFFD')) return decoded;
  return field.replace(EIGHT_BIT_RUN, (run) => decodeCharset(Buffer.from(run, 'latin1'), null));
}

/**
 * Text of which some bytes were escaped and others were written as they are. The latter are of the
 * declared set, or UTF-8 if they are valid as such.
 *
 * @param unescape the bytes of escaped text, one character each.
 */
export function decodeMixed(
  charset: string,
  written: string,
  unescape: (text: string) => string,
): string {
  const decode = (text: string) => decodeCharset(Buffer.from(unescape(text), 'latin1'), charset);
  const runs = written.match(EIGHT_BIT_RUN) ?? [];
  if (!runs.every((run) => isUtf8(Buffer.from(run, 'latin1')))) {
    const decoded = decode(written);
    if (!decoded.includes('\uFFFD')) return decoded;
  }
  return written
    .split(/([\x80-\xff]+)/)
    .map((piece, n) => (n % 2 === 1 ? decodeRaw(piece) : decode(piece)))
    .join('');
}

function* pieces(field: string, pattern: RegExp): Generator<Piece> {
  let words: Word[] = [];
  let copied = 0;
  for (const match of field.matchAll(pattern)) {
    const between = field.slice(copied, match.index);
    if (words.length === 0 || !BLANK.test(between)) {
      if (words.length > 0) yield pieceOf(words);
      words = [];
      if (between !== '') yield { text: decodeRaw(between), isEncoded: false, isBase64: false };
    }
    words.push(wordOf(match));
    copied = match.index + match[0].length;
  }
  if (words.length > 0) yield pieceOf(words);
  const rest = field.slice(copied);
  if (rest !== '') yield { text: decodeRaw(rest), isEncoded: false, isBase64: false };
}

function wordOf([, charset = '', encoding = '', content = '']: RegExpExecArray): Word {
  const isBase64 = encoding === 'B' || encoding === 'b';
  const bytes = isBase64
    ? decodeBase64(Buffer.from(content, 'latin1')).toString('latin1')
    : unescapeQ(content);
  return { charset, isBase64, bytes, mixed: !isBase64 && EIGHT_BIT.test(content) ? content : null };
}

/**
 * Adjacent words of one set are joined before decoding: a character, or the state of ISO-2022-JP,
 * can be split between them, which RFC 2047 section 5 does not allow and senders do.
 */
function pieceOf(words: Word[]): Piece {
  let text = '';
  let joined = '';
  let charset = '';
  const flush = () => {
    if (joined !== '') text += decodeCharset(Buffer.from(joined, 'latin1'), charset);
    joined = '';
  };
  for (const word of words) {
    const isSame = word.charset.toLowerCase() === charset.toLowerCase();
    if (!isSame || word.mixed !== null || /^(?:\xfe\xff|\xff\xfe|\xef\xbb\xbf)/.test(word.bytes)) {
      flush();
    }
    charset = word.charset;
    if (word.mixed === null) joined += word.bytes;
    else text += decodeMixed(charset, word.mixed, unescapeQ);
  }
  flush();
  return { text, isEncoded: true, isBase64: words.every(({ isBase64 }) => isBase64) };
}

/** RFC 2047 section 4.2. */
function unescapeQ(content: string): string {
  return content.replaceAll('_', ' ').replace(ESCAPED, unescaped);
}

function unescaped(_all: string, hex: string): string {
  return String.fromCharCode(parseInt(hex, 16));
}

function encodedWord(text: string, isBase64: boolean): string {
  if (isBase64) return `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
  return `=?utf-8?Q?${toBytes(text).replace(/[^A-Za-z0-9]/g, escaped)}?=`;
}

function escaped(byte: string): string {
  return `=${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

function toBytes(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text;
}
