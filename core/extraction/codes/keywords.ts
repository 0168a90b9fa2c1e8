/** The keywords near a candidate, and the words that say that a number is of something else. */
import type { Block } from '../block.ts';
import type { CodeCandidate } from './candidates.ts';
import type { NearWord, WordsNear } from './words-near.ts';

export const CODE_WORDS = ['code', 'weak'] as const;
/** Between two sentences. */
export const SENTENCE_END = /[.!?](?:\s|$)|[。！？]/;
/** Characters between a candidate and "is your" or the like. */
const FOLLOWS_WITHIN = 2;
const PUNCTUATION = /[\p{P}\p{S}\s]/gu;

export interface Place {
  blocks: Block[];
  at: number;
  words: WordsNear;
}

/** Whether the candidate is all of its block. */
export function isOwnBlock({ text }: Block, { display }: CodeCandidate): boolean {
  if (text.length > display.length + 12) return false;
  return text.replace(PUNCTUATION, '') === display.replace(PUNCTUATION, '');
}

/** Whether the word is the second half of a phrase such as "promo code". */
export function isPartOf({ hit, blocks }: NearWord, found: NearWord[]): boolean {
  return found.some(
    (other) =>
      other.blocks === blocks &&
      other.hit.meaning === 'notCode' &&
      other.hit.start <= hit.start &&
      other.hit.end >= hit.end,
  );
}

/** The keyword of "482913 is your Shop code", with the words that tie it to the candidate. */
export function keywordOfFollows(
  { at, words }: Place,
  { end }: CodeCandidate,
): { follows: NearWord; keyword: NearWord } | null {
  const [follows] = words.after(at, end, ['follows']);
  if (follows?.blocks !== 0 || follows.distance > FOLLOWS_WITHIN) return null;
  const found = words.after(at, end, [...CODE_WORDS, 'notCode']);
  const [keyword] = found.filter((word) => !isPartOf(word, found));
  if (!keyword || keyword.blocks !== 0 || keyword.hit.meaning === 'notCode') return null;
  return { follows, keyword };
}

/**
 * Whether a reference word, such as "order", is nearer than any keyword, and has no other number:
 * in "card ending 1130 is 660214" it has.
 */
export function isReference({ at, words, blocks }: Place, candidate: CodeCandidate): boolean {
  const meanings = ['reference', 'phone', 'notCode', ...CODE_WORDS] as const;
  const found = words.before(at, candidate.start, meanings);
  const usable = found.filter((word) => word.hit.meaning === 'notCode' || !isPartOf(word, found));
  const [nearest] = usable;
  if (!nearest || isCodeWord(nearest)) return false;
  const { text } = blocks[at] as Block;
  if (nearest.blocks === 0)
    return nearest.distance <= 25 && !/\d{3}/.test(text.slice(nearest.hit.end, candidate.start));
  const isAlone = !usable.some((word) => word.blocks === nearest.blocks && isCodeWord(word));
  return isAlone && nearest.blocks === 1 && isOwnBlock(blocks[at] as Block, candidate);
}

function isCodeWord({ hit }: NearWord): boolean {
  return CODE_WORDS.some((meaning) => meaning === hit.meaning);
}
