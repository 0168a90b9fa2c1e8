/**
 * Text in one form, so that each rule is written once: digits as ASCII, no invisible characters.
 */

/** The zero of each set of decimal digits in the Basic Multilingual Plane (Unicode category Nd). */
const ZEROS = [
  0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66,
  0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90,
  0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
];
const DIGITS = new Map(
  ZEROS.flatMap((zero) =>
    Array.from({ length: 10 }, (_, n) => [String.fromCharCode(zero + n), String(n)] as const),
  ),
);

const ASCII_ONLY = /^[\n\x20-\x7e]*$/;
const FOREIGN_DIGIT = /[^\x00-\x7f]/g; // oxlint-disable-line no-control-regex
/**
 * Soft hyphen, joiners, direction marks, variation selectors, BOM: without a shape of their own.
 */
const INVISIBLE =
  // oxlint-disable-next-line no-misleading-character-class -- each is matched alone
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]/g;
/** Whitespace in a line that is not one space. */
const SPACES = / [^\S\n]+|[^\S\n ][^\S\n]*/g;
const HYPHENS = /[\u2010-\u2015\u2212]/g;

/** Scripts that write words without spaces, and Korean, whose endings follow without one. */
export const NO_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}\u30fc]/u;

/** Joins whitespace to one space, line feeds too. */
export function normalizeLine(text: string): string {
  return isNormal(text) ? text : normalize(text.replaceAll('\n', ' '));
}

/** Joins whitespace to one space, except line feeds. */
export function normalize(text: string): string {
  if (isNormal(text)) return text;
  const plain = ASCII_ONLY.test(text)
    ? text
    : text
        .normalize('NFC')
        .replace(INVISIBLE, '')
        .replace(HYPHENS, '-')
        .replace(FOREIGN_DIGIT, (character) => DIGITS.get(character) ?? character);
  return plain.replace(SPACES, ' ');
}

/** Whether the text is of visible ASCII characters and single spaces, as most text is. */
function isNormal(text: string): boolean {
  let isAfterSpace = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isSpace = code === 0x20;
    if (code < 0x20 || code > 0x7e || (isSpace && isAfterSpace)) return false;
    isAfterSpace = isSpace;
  }
  return true;
}

/** Lower case of the same length, so that positions stay valid. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (character) => {
    const folded = character.toLowerCase();
    return folded.length === character.length ? folded : folded.slice(0, character.length);
  }).join('');
}
