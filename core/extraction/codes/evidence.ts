/** Why a candidate is a code, as reasons with weights. */
import type { Block } from '../block.ts';
import type { Reason } from '../types.ts';
import type { CodeCandidate } from './candidates.ts';
import type { NearWord, WordsNear } from './words-near.ts';

/** Weight by length of a number; six digits are the usual length. */
const DIGITS: Record<number, number> = {
  4: 0.27,
  5: 0.27,
  6: 0.3,
  7: 0.27,
  8: 0.27,
  9: 0.2,
  10: 0.2,
};
const OTHER_FORM = 0.27;
/** Characters between a keyword and a candidate that it names, such as `code is: `. */
const NAMED_WITHIN = 15;
const NEAR = 40;
const CODE_WORDS = ['code', 'weak'] as const;
/** Characters between a candidate and "is your" or the like. */
const FOLLOWS_WITHIN = 2;
/** Weight of a keyword behind "is your". */
const SURE_AFTER = 0.45;
/** Between two sentences. */
export const SENTENCE_END = /[.!?](?:\s|$)|[。！？]/;
/** After a word that names what comes next: "token: 55cd", "code 4829". */
const NAMES_NEXT = /^ ?[:=]|^ (?:is )?[A-Za-z]{0,9}\d/;
const PUNCTUATION = /[\p{P}\p{S}\s]/gu;

export interface CandidateContext {
  blocks: Block[];
  at: number;
  words: WordsNear;
}

export function shapeReason({ value, form }: CodeCandidate): Reason {
  const weight = form === 'digits' ? (DIGITS[value.length] ?? 0) : OTHER_FORM;
  const detail = form === 'digits' ? `${value.length} digits` : `${value.length} characters`;
  return { rule: 'shape', detail, weight };
}

/** Whether the candidate is all of its block. */
export function isOwnBlock({ text }: Block, { display }: CodeCandidate): boolean {
  if (text.length > display.length + 12) return false;
  return text.replace(PUNCTUATION, '') === display.replace(PUNCTUATION, '');
}

/**
 * The keyword before the candidate: strong, or `weak` alone, which counts fully only next to it.
 */
export function keywordBefore(
  { at, words, blocks }: CandidateContext,
  candidate: CodeCandidate,
): Reason | null {
  const found = words.before(at, candidate.start, [...CODE_WORDS, 'notCode']);
  const usable = found.filter((word) => !isPartOf(word, found));
  const block = blocks[at] as Block;
  const ownBlock = isOwnBlock(block, candidate);
  const reasons = usable
    .filter((word) => !isOfSentenceBefore(block, word, candidate))
    .flatMap((word) => weighBefore(word, candidate, ownBlock) ?? []);
  const [best] = reasons.sort((one, other) => other.weight - one.weight);
  return best ?? null;
}

/** "Never share your code. ACME will not ask for it": capitals alone are then a word. */
function isOfSentenceBefore({ text }: Block, word: NearWord, candidate: CodeCandidate): boolean {
  const { form, start } = candidate;
  return (
    form === 'letters' && word.blocks === 0 && SENTENCE_END.test(text.slice(word.hit.end, start))
  );
}

function weighBefore(word: NearWord, { start }: CodeCandidate, ownBlock: boolean): Reason | null {
  const { hit, distance, blocks } = word;
  if (hit.meaning === 'notCode') return null;
  const strong = hit.meaning === 'code';
  const reason = (weight: number) => ({ rule: 'keyword_before', detail: hit.word, weight });
  if (blocks === 0) {
    if (distance <= NAMED_WITHIN) return reason(0.45);
    if (distance <= NEAR) return reason(strong ? 0.43 : 0.3);
    return reason(strong ? 0.4 : 0.2);
  }
  if (start > NEAR || (blocks > 1 && !ownBlock)) return null;
  if (ownBlock) return reason(strong ? 0.43 : 0.35);
  return reason(strong ? 0.25 : 0.1);
}

/** Whether the word is the second half of a phrase such as "promo code". */
function isPartOf({ hit, blocks }: NearWord, found: NearWord[]): boolean {
  return found.some(
    (other) =>
      other.blocks === blocks &&
      other.hit.meaning === 'notCode' &&
      other.hit.start <= hit.start &&
      other.hit.end >= hit.end,
  );
}

export function keywordAfter(
  { at, words, blocks }: CandidateContext,
  candidate: CodeCandidate,
): Reason | null {
  const { text } = blocks[at] as Block;
  const found = words.after(at, candidate.end, [...CODE_WORDS, 'notCode']);
  const [first] = found.filter((word) => !isPartOf(word, found));
  const [nearest] = found.filter(
    (word) =>
      !isPartOf(word, found) &&
      word.hit.meaning !== 'notCode' &&
      !(isWeak(word) && word.blocks === 0 && isOfAnother(text, candidate, word.hit)),
  );
  if (!nearest) return null;
  const [follows] = words.after(at, candidate.end, ['follows']);
  if (follows?.blocks === 0 && follows.distance <= FOLLOWS_WITHIN && first === nearest) {
    const detail = `${follows.hit.word} ... ${nearest.hit.word}`;
    if (nearest.blocks === 0) return { rule: 'keyword_after', detail, weight: SURE_AFTER };
  }
  const strong = nearest.hit.meaning === 'code';
  const reason = (weight: number) => ({ rule: 'keyword_after', detail: nearest.hit.word, weight });
  if (nearest.blocks === 0) return reason(strong || nearest.distance <= 12 ? 0.42 : 0.2);
  if (!isOwnBlock(blocks[at] as Block, candidate) || nearest.blocks > 1) return null;
  return reason(strong ? 0.35 : 0.25);
}

/** Whether a word after the candidate is of another sentence, or names what follows it. */
function isOfAnother(text: string, { end }: CodeCandidate, hit: NearWord['hit']): boolean {
  return SENTENCE_END.test(text.slice(end, hit.start)) || NAMES_NEXT.test(text.slice(hit.end));
}

/** Whether a keyword names the candidate: straight before it, or at the end of the block before. */
export function isNamed({ rule, weight }: Reason, ownBlock: boolean): boolean {
  if (rule === 'keyword_after') return weight >= SURE_AFTER;
  return weight >= 0.45 || (ownBlock && weight >= 0.35);
}

/**
 * Whether a reference word, such as "order", is nearer than any keyword, and has no other number:
 * in "card ending 1130 is 660214" it has.
 */
export function isReference(
  { at, words, blocks }: CandidateContext,
  candidate: CodeCandidate,
): boolean {
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

function isWeak({ hit }: NearWord): boolean {
  return hit.meaning === 'weak';
}

function isCodeWord({ hit }: NearWord): boolean {
  return CODE_WORDS.some((meaning) => meaning === hit.meaning);
}

export function emphasis(block: Block, { start, end }: CodeCandidate): Reason | null {
  const covers = block.emphasis.some((part) => part.start <= start && part.end >= end);
  const whole = block.emphasis.reduce((sum, part) => sum + part.end - part.start, 0);
  // Emphasis of most of a long text says nothing about the candidate.
  if (!covers || whole > 200) return null;
  return { rule: 'emphasis', detail: 'emphasized', weight: 0.1 };
}

export function expiryNear(
  { at, words }: CandidateContext,
  { start, end }: CodeCandidate,
): Reason | null {
  const [hit] = [...words.after(at, end, ['expiry']), ...words.before(at, start, ['expiry'])];
  return hit ? { rule: 'expiry_near', detail: hit.hit.word, weight: 0.08 } : null;
}
