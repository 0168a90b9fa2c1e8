/**
 * Converts raw 8-bit bytes in header fields to UTF-8. A header is ASCII (RFC 5322 section 2.2) or
 * UTF-8 (RFC 6532), but some senders write bytes of another character set, even inside an encoded
 * word (RFC 2047).
 */
import { isUtf8 } from 'node:buffer';

/** Decodes the text of an encoded word; a character that cannot be decoded becomes U+FFFD. */
export type DecodeWord = (charset: string, encoding: 'Q', text: string) => string;

const EIGHT_BIT = /[\x80-\xff]/;
const EIGHT_BIT_RUN = /[\x80-\xff]+/g;
const NOT_ALPHANUMERIC = /[^A-Za-z0-9]/g;
const EXTENDED_VALUE = /\*=[ \t]*([\w-]+)'[\w-]*'([^\s;"]*)/g;
const Q_WORD = /=\?([\w\-*]+)\?[Qq]\?([^?]*)\?=/g;
/**
 * Special characters of address lists cannot occur in an encoded word there (RFC 2047 section 5
 * (3)).
 */
const Q_WORD_OF_PHRASE = /=\?([\w\-*]+)\?[Qq]\?([^?<>",;:()@\\]*)\?=/g;

/**
 * 0x80 to 0x9F; the rest of windows-1252 equals Latin-1. TextDecoder of Node 20 decodes this range
 * as Latin-1.
 */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * Converts a field given and returned as one character per byte. Each run of 8-bit bytes is decoded
 * as UTF-8 if valid, otherwise in the character set of the surrounding encoded word, otherwise as
 * windows-1252.
 */
export function eightBitAsUtf8(
  field: string,
  isAddressList: boolean,
  decodeWord: DecodeWord,
): string {
  if (!EIGHT_BIT.test(field)) return field;
  let result = '';
  let copied = 0;
  for (const { 0: word, 1: charset = '', 2: text = '', index } of field.matchAll(
    isAddressList ? Q_WORD_OF_PHRASE : Q_WORD,
  )) {
    if (!EIGHT_BIT.test(text)) continue;
    result += toBytes(decodeText(field.slice(copied, index)));
    result += encodedWord(decodeMixedWord(charset, text, decodeWord));
    copied = index + word.length;
  }
  return result + toBytes(decodeText(field.slice(copied)));
}

/** Same for extended parameter values, `filename*=charset'language'value` (RFC 2231 section 4). */
export function eightBitParametersAsUtf8(field: string, decodeWord: DecodeWord): string {
  if (!EIGHT_BIT.test(field)) return field;
  return field.replace(EXTENDED_VALUE, (parameter, charset: string, value: string) => {
    if (!EIGHT_BIT.test(value)) return parameter;
    const text = value.replace(/[=_]/g, escaped).replaceAll('%', '=');
    const decoded = toBytes(decodeMixedWord(charset, text, decodeWord));
    return `*=utf-8''${decoded.replace(NOT_ALPHANUMERIC, escaped).replaceAll('=', '%')}`;
  });
}

function decodeMixedWord(charset: string, text: string, decodeWord: DecodeWord): string {
  const runs = text.match(EIGHT_BIT_RUN) ?? [];
  if (!runs.every(isValid)) {
    const decoded = decodeWord(charset, 'Q', text.replace(EIGHT_BIT_RUN, escaped));
    if (!decoded.includes('\uFFFD')) return decoded;
  }
  return text
    .split(/([\x80-\xff]+)/)
    .map((piece, n) => (n % 2 === 1 ? decodeText(piece) : decodeWord(charset, 'Q', piece)))
    .join('');
}

function decodeText(bytes: string): string {
  return bytes.replace(EIGHT_BIT_RUN, (run) =>
    isValid(run) ? Buffer.from(run, 'latin1').toString() : inWindows1252(run),
  );
}

function inWindows1252(run: string): string {
  return run.replace(/[\x80-\x9f]/g, (byte) => WINDOWS_1252.charAt(byte.charCodeAt(0) - 0x80));
}

function isValid(run: string): boolean {
  return isUtf8(Buffer.from(run, 'latin1'));
}

/**
 * Uses encoding Q like the word it replaces: the parser looks for addresses in decoded B-encoded
 * words.
 */
function encodedWord(text: string): string {
  return `=?utf-8?Q?${toBytes(text).replace(NOT_ALPHANUMERIC, escaped)}?=`;
}

function escaped(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('hex').replace(/../g, '=$&');
}

function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}
