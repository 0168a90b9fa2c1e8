/**
 * Parts of texts, which other mail catchers find where Mayfly's own search finds words. Case and
 * runs of whitespace do not matter.
 */
import { foldText } from './characters.ts';

/** What is looked for, as {@link foldText} makes it; never empty. */
export interface TextPart {
  text: string;
  /** Whether punctuation around addresses and phrases equals a space, in the text as well. */
  isSpaced: boolean;
}

/** In characters. */
export const MAX_PART = 1000;
const PUNCTUATION = /[<>",;()]/g;
const SPACES = / {2,}/g;

/**
 * The part of a query. Punctuation alone is looked for as it is. Null for a longer text, and if
 * nothing visible is left of it, since every text has nothing.
 */
export function textPart(text: string, isSpaced: boolean): TextPart | null {
  if (text.length > MAX_PART) return null;
  const folded = foldText(text);
  const spaced = isSpaced ? withSpaces(folded) : '';
  if (spaced !== '') return { text: spaced, isSpaced };
  return folded === '' ? null : { text: folded, isSpaced: false };
}

/** The folded text with a space for punctuation. */
export function withSpaces(folded: string): string {
  return folded.replace(PUNCTUATION, ' ').replace(SPACES, ' ').trim();
}
