/** White space, invisible characters and case, in text that is shown to a reader or compared. */

const ASCII_ONLY = /^[\n\x20-\x7e]*$/;
/** Soft hyphen, fillers, zero-width space, BOM, and control characters that are no white space. */
const INVISIBLE =
  // oxlint-disable-next-line no-misleading-character-class -- each is matched alone
  /[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\ufeff]|[^\P{Cc}\s]/gu;
/** Joiners that join nothing: newsletters pad the hidden text above their content with them. */
const LONE_JOINERS = /(^|\s)[\u200c\u200d]+(?=\s|$)/g;
/** White space that is not one space. */
const SPACES = / \s+|[^\S ]\s*/g;

/** The text without invisible characters, runs of white space as one space, trimmed. */
export function joinSpaces(text: string): string {
  if (ASCII_ONLY.test(text)) return text.replace(SPACES, ' ').trim();
  return dropInvisible(text).replace(SPACES, ' ').trim();
}

export function dropInvisible(text: string): string {
  if (ASCII_ONLY.test(text)) return text;
  return text.replace(INVISIBLE, '').replace(LONE_JOINERS, '$1');
}

/** Characters of a folded text at most. */
const MAX_FOLDED = 1024 * 1024;
/** Characters that are measured at once. */
const PIECE = 16 * 1024;
const ASCII = /^[\0-\x7f]*$/;

/**
 * The form in which texts are compared: NFKC, without case, runs of white space as one space, and
 * without invisible characters. It has the first 1,048,576 characters of a longer text.
 */
export function foldText(text: string): string {
  return startOf(text)
    .normalize('NFKC')
    .toUpperCase() // ß and SS are equal
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_FOLDED);
}

/**
 * The part of a text that NFKC makes longer than a folded text, or the whole. NFKC makes 18
 * characters of U+FDFA, so a text is measured in pieces: 1,048,576 of them blocked a process for
 * 2.5 s.
 */
function startOf(text: string): string {
  if (ASCII.test(text)) return text.slice(0, MAX_FOLDED);
  let length = 0;
  for (let end = PIECE; end < text.length; end += PIECE) {
    length += text.slice(end - PIECE, end).normalize('NFKC').length;
    if (length > MAX_FOLDED) return text.slice(0, end);
  }
  return text;
}
