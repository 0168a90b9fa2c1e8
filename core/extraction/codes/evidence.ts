/** Why a candidate is a code, as reasons with weights. */
import type { Block } from '../block.ts';
import type { Reason } from '../types.ts';
import type { CodeCandidate } from './candidates.ts';
import {
  CODE_WORDS,
  type Place,
  SENTENCE_END,
  isOwnBlock,
  isPartOf,
  keywordOfFollows,
} from './keywords.ts';
import { type Namings, isPurpose } from './naming.ts';
import type { NearWord } from './words-near.ts';

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
/** Weight of a keyword behind "is your". */
const SURE_AFTER = 0.45;
/** After a word that names what comes next: "token: 55cd", "code 4829". */
const NAMES_NEXT = /^ ?[:=]|^ (?:is )?[A-Za-z]{0,9}\d/;

export interface CandidateContext extends Place {
  namings: Namings;
}

export function shapeReason({ value, form }: CodeCandidate): Reason {
  const weight = form === 'digits' ? (DIGITS[value.length] ?? 0) : OTHER_FORM;
  const detail = form === 'digits' ? `${value.length} digits` : `${value.length} characters`;
  return { rule: 'shape', detail, weight };
}

/**
 * The keyword before the candidate: strong, or `weak` alone, which counts fully only next to it.
 */
export function keywordBefore(
  { at, words, blocks, namings }: CandidateContext,
  candidate: CodeCandidate,
): Reason | null {
  const found = words.before(at, candidate.start, [...CODE_WORDS, 'notCode']);
  const block = blocks[at] as Block;
  const reasons = found
    .filter(
      (word) =>
        !isPartOf(word, found) &&
        !isOfSentenceBefore(block, word, candidate) &&
        !namings.isTakenBefore(word, candidate, at),
    )
    .flatMap((word) => weighBefore(word, candidate, block) ?? []);
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

function weighBefore(word: NearWord, candidate: CodeCandidate, block: Block): Reason | null {
  const { hit, distance, blocks } = word;
  const { start } = candidate;
  if (hit.meaning === 'notCode') return null;
  const strong = hit.meaning === 'code';
  const reason = (weight: number) => ({ rule: 'keyword_before', detail: hit.word, weight });
  if (blocks === 0) {
    if (distance <= NAMED_WITHIN) return reason(0.45);
    if (isPurpose(block.text.slice(hit.end, start))) return reason(0.43);
    if (distance <= NEAR) return reason(strong ? 0.43 : 0.3);
    return reason(strong ? 0.4 : 0.2);
  }
  const ownBlock = isOwnBlock(block, candidate);
  if (start > NEAR || (blocks > 1 && !ownBlock)) return null;
  if (ownBlock) return reason(strong ? 0.43 : 0.35);
  return reason(strong ? 0.25 : 0.1);
}

export function keywordAfter(place: CandidateContext, candidate: CodeCandidate): Reason | null {
  const { at, words, blocks, namings } = place;
  const followed = keywordOfFollows(place, candidate);
  if (followed) {
    const detail = `${followed.follows.hit.word} ... ${followed.keyword.hit.word}`;
    return { rule: 'keyword_after', detail, weight: SURE_AFTER };
  }
  const { text } = blocks[at] as Block;
  const found = words.after(at, candidate.end, [...CODE_WORDS, 'notCode']);
  const nearest = found.find(
    (word) =>
      !isPartOf(word, found) &&
      !(isWeak(word) && word.blocks === 0 && isOfAnother(text, candidate, word.hit)) &&
      !namings.isTakenAfter(word, candidate),
  );
  if (!nearest) return null;
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

function isWeak({ hit }: NearWord): boolean {
  return hit.meaning === 'weak';
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
