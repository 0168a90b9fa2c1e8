/**
 * Codes of promotions, which look like those to sign in: the words around them tell. What a code is
 * for in so many words, such as "verification code", outweighs them.
 */
import { type Block, keywordsOf } from '../block.ts';
import type { CodeCandidate } from './candidates.ts';
import { type Place, SENTENCE_END } from './keywords.ts';
import type { NearWord } from './words-near.ts';

const PERCENT = /(?:^|[^\d])\d{1,2} ?%/;
/** Blocks on each side that are looked at. */
const NEIGHBORS = 2;
/** Longer blocks tell of many things. */
const MAX_NEIGHBOR_LENGTH = 300;

export function isPromotion(place: Place, candidate: CodeCandidate, subject: Block): boolean {
  const isSpecific = saysWhatFor(place, candidate);
  if (isSpecific && candidate.form === 'digits') return false;
  if (isInSentence(place, candidate)) return true;
  if (isSpecific || candidate.form === 'digits') return false;
  return [subject, ...around(place)].some(isOfPromotion);
}

/** Whether a keyword near says what the code is for, and not just that it is one. */
function saysWhatFor({ at, words }: Place, { start, end }: CodeCandidate): boolean {
  const near = [
    ...words.before(at, start, ['code', 'generic']),
    ...words.after(at, end, ['code', 'generic']),
  ];
  return near.some((one) => one.hit.meaning === 'code' && !isGeneric(one, near));
}

function isGeneric({ hit, blocks }: NearWord, near: NearWord[]): boolean {
  return near.some(
    (other) =>
      other.hit.meaning === 'generic' && other.blocks === blocks && other.hit.start === hit.start,
  );
}

function isInSentence({ at, words, blocks }: Place, candidate: CodeCandidate): boolean {
  const { text } = blocks[at] as Block;
  const { start, end } = candidate;
  const before = words.before(at, start, ['promotion']).filter(isSameBlock);
  const after = words.after(at, end, ['promotion']).filter(isSameBlock);
  const [from, to] = sentenceAround(text, candidate);
  return (
    PERCENT.test(text.slice(from, start)) ||
    PERCENT.test(text.slice(end, to)) ||
    before.some(({ hit }) => hit.start >= from) ||
    after.some(({ hit }) => hit.end <= to)
  );
}

const isSameBlock = ({ blocks }: NearWord) => blocks === 0;

/** In characters on each side. */
const WINDOW = 100;

function sentenceAround(text: string, { start, end }: CodeCandidate): [from: number, to: number] {
  const first = Math.max(0, start - WINDOW);
  const ends = Array.from(text.slice(first, start).matchAll(new RegExp(SENTENCE_END, 'g')));
  const last = ends.at(-1);
  const next = SENTENCE_END.exec(text.slice(end, end + WINDOW));
  return [
    last ? first + last.index + last[0].length : first,
    next ? end + next.index : Math.min(text.length, end + WINDOW),
  ];
}

/** The blocks beside the candidate, and its own. */
function around({ at, blocks }: Place): Block[] {
  return blocks.slice(Math.max(0, at - NEIGHBORS), at + NEIGHBORS + 1);
}

function isOfPromotion(block: Block): boolean {
  if (block.hidden || block.text.length > MAX_NEIGHBOR_LENGTH) return false;
  return (
    PERCENT.test(block.text) || keywordsOf(block).some(({ meaning }) => meaning === 'promotion')
  );
}
