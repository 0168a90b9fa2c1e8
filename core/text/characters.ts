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

/**
 * The form in which texts are compared: NFKC, without case, runs of white space as one space, and
 * without invisible characters.
 */
export function foldText(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase() // ß and SS are equal
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
