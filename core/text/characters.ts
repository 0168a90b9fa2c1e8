/** Whitespace, invisible characters and case, in text that is shown to a reader or compared. */
const ASCII_ONLY = /^[\n\x20-\x7e]*$/;
const ASCII = /^[\0-\x7f]*$/;
/** Soft hyphen, fillers, zero-width space, BOM, and control characters that are no whitespace. */
const INVISIBLE =
  // oxlint-disable-next-line no-misleading-character-class -- each is matched alone
  /[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\ufeff]|[^\P{Cc}\s]/gu;
/** Joiners that join nothing: newsletters pad the hidden text above their content with them. */
const LONE_JOINERS = /(^|\s)[\u200c\u200d]+(?=\s|$)/g;
/** Whitespace that is not one space. */
const SPACES = / \s+|[^\S ]\s*/g;

/** CR, LF, VT, FF, NEL, line and paragraph separator: what programs show as the end of a line. */
const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
/** Line breaks, and NUL, which no field of a mail can have. */
const BREAKS = /[\0\n\v\f\r\u0085\u2028\u2029]+/g;

export function linesOf(text: string): string[] {
  return text.split(LINE_BREAK);
}

/** The text in one line: line breaks become spaces. */
export function oneLine(text: string): string {
  return text.replace(BREAKS, ' ').trim();
}

/** The text without invisible characters, runs of whitespace as one space, trimmed. */
export function joinSpaces(text: string): string {
  if (ASCII_ONLY.test(text)) return text.replace(SPACES, ' ').trim();
  return removeInvisible(text).replace(SPACES, ' ').trim();
}

export function removeInvisible(text: string): string {
  if (ASCII_ONLY.test(text)) return text;
  return text.replace(INVISIBLE, '').replace(LONE_JOINERS, '$1');
}

/** Characters of a folded text at most. */
const MAX_FOLDED = 1024 * 1024;
/** Characters that are folded at once; NFKC makes up to 18 times as many of them. */
const PIECE = 16 * 1024;
/** Nothing of a text changes with what is before such a character. */
const BOUNDARY = /[^\s\p{M}\p{C}\u1160-\u11ff]/u;
/** Characters in which a boundary is looked for. */
const MAX_SHIFT = 1024;

/**
 * The form in which texts are compared: NFKC, without case, runs of whitespace as one space, and
 * without invisible characters. It has the first 1,048,576 characters of a longer text.
 */
export function foldText(text: string): string {
  return foldedAscii(text) ?? joined(Array.from(foldedPieces(text)));
}

/** Null for a text with other characters. Most text is ASCII, which has only case and spaces. */
function foldedAscii(text: string): string | null {
  if (text.length > 2 * MAX_FOLDED || !ASCII.test(text)) return null;
  return text.toLowerCase().replace(SPACES, ' ').trim().slice(0, MAX_FOLDED);
}

function* foldedPieces(text: string): Generator<string> {
  let length = 0;
  for (let start = 0; start < text.length && length < MAX_FOLDED;) {
    const end = boundaryAfter(text, start + PIECE);
    const piece = text
      .slice(start, end)
      .normalize('NFKC')
      .toUpperCase() // ß and SS are equal
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
      .replace(/\s+/g, ' ');
    length += piece.length;
    start = end;
    yield piece;
  }
}

function boundaryAfter(text: string, from: number): number {
  for (let at = from; at < Math.min(from + MAX_SHIFT, text.length); at += 1) {
    if (BOUNDARY.test(String.fromCodePoint(text.codePointAt(at) ?? 0))) return at;
  }
  return from + MAX_SHIFT;
}

function joined(pieces: string[]): string {
  return pieces.join('').replace(/ {2,}/g, ' ').trim().slice(0, MAX_FOLDED);
}
