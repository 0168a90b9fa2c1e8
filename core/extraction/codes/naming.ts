/**
 * The number that each keyword names: "OTP 572123", "the code for order 4711 is 811739". A keyword
 * that has its number says nothing of another one: "OTP 572123, amount 50000".
 */
import type { Block } from '../block.ts';
import { NO_SPACES } from '../normalize.ts';
import { type CodeCandidate, candidatesIn } from './candidates.ts';
import { CODE_WORDS, SENTENCE_END, isPartOf, isReference, keywordOfFollows } from './keywords.ts';
import { objectionTo } from './objections.ts';
import { type NearWord, type WordsNear, firstNotBefore } from './words-near.ts';

/** A keyword with its number: where both begin and end. */
interface Naming {
  start: number;
  end: number;
  value: string;
}

/** Between a keyword and its number, as in "code is 482913". */
const COPULAS = new Set(
  (
    'is are was ist sind lautet lauten est sont es son é são è sono luidt zijn är er lyder brzmi je ' +
    'zní znie este είναι это це е هو هي הוא היא है คือ là la adalah ialah は 是 为 為 는 은 이 가'
  ).split(' '),
);
const COPULA_WITHOUT_SPACE = /[はの是为為]$/;
/** Between a keyword and what its number is for, as in "code for order 4711". */
const PURPOSES = new Set(
  (
    'for to from with via valid für zu zum zur pour de para per voor till för til fra do dla na pro ' +
    'για için для на к за untuk cho'
  ).split(' '),
);
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const NAMES_NEXT = /[:=→：>]/;
/** Numbers beside each other, which one keyword names: "1234, 5678 and 9012". */
const LIST = /^[\d\s,;/|&+-]*(?:(?:and|or|und|oder|et|ou|y|o|e)[\d\s,;/|&+-]*)?$/i;
/** The full stop behind them ends no sentence. */
const ABBREVIATION = /\b(?:no|nr|num|acct?|ref|st|mr|mrs|ms|dr)\./gi;
const MAX_BETWEEN = 100;
/** In one block. */
const MAX_CANDIDATES = 2001;

export class Namings {
  readonly #blocks: Block[];
  readonly #words: WordsNear;
  readonly #known = new Map<number, { candidates: CodeCandidate[]; namings: Naming[] }>();

  constructor(blocks: Block[], words: WordsNear) {
    this.#blocks = blocks;
    this.#words = words;
  }

  candidatesOf(at: number): CodeCandidate[] {
    return this.#of(at).candidates;
  }

  /**
   * Whether a keyword in front of the candidate has another number, or one between them has. In the
   * block before it, a number at the end is the one of the block.
   */
  isTakenBefore({ hit, at }: NearWord, candidate: CodeCandidate, ownAt: number): boolean {
    const naming = this.#namingFrom(at, hit.end);
    if (!naming || naming.value === candidate.value) return false;
    const { text } = this.#blocks[at] as Block;
    if (at !== ownAt) return wordsIn(text.slice(naming.end)).length === 0;
    if (naming.end > candidate.start) return naming.start <= hit.start;
    return !isListed(text.slice(naming.end, candidate.start));
  }

  /** Whether a keyword behind the candidate has its number. */
  isTakenAfter({ hit, at }: NearWord, candidate: CodeCandidate): boolean {
    const naming = this.#namingFrom(at, hit.end);
    return naming !== undefined && naming.start <= hit.start && naming.value !== candidate.value;
  }

  /** The first naming that ends behind the position. */
  #namingFrom(at: number, position: number): Naming | undefined {
    const { namings } = this.#of(at);
    return namings[firstNotBefore(namings, ({ end }) => end < position)];
  }

  #of(at: number): { candidates: CodeCandidate[]; namings: Naming[] } {
    const known = this.#known.get(at);
    if (known) return known;
    const block = this.#blocks[at] as Block;
    const candidates = candidatesIn(block.text, MAX_CANDIDATES);
    const namings: Naming[] = [];
    const inOrder = [...candidates].sort((one, other) => one.start - other.start);
    for (const candidate of inOrder) {
      const naming = this.#namingOf(block, at, candidate, namings.at(-1)?.end ?? 0);
      if (naming) namings.push(naming);
    }
    const found = { candidates, namings };
    this.#known.set(at, found);
    return found;
  }

  /** @param from where the naming before it ends */
  #namingOf(block: Block, at: number, candidate: CodeCandidate, from: number): Naming | null {
    const { text } = block;
    const { value, start, end, form } = candidate;
    const place = { blocks: this.#blocks, at, words: this.#words };
    if (form === 'letters' || objectionTo(text, candidate, { named: true })) return null;
    if (isReference(place, candidate)) return null;
    const found = this.#words
      .before(at, start, [...CODE_WORDS, 'notCode'])
      .filter(({ blocks }) => blocks === 0);
    for (const word of found) {
      if (word.hit.meaning === 'notCode' || isPartOf(word, found)) continue;
      if (word.hit.start < from) break;
      if (!names(text.slice(word.hit.end, start))) continue;
      return { start: word.hit.start, end, value };
    }
    const named = keywordOfFollows(place, candidate);
    return named ? { start, end: named.keyword.hit.end, value } : null;
  }
}

/** Whether a keyword names the number behind this text. */
function names(between: string): boolean {
  return isDirect(between) || endsLikeName(between);
}

function isDirect(between: string): boolean {
  const words = wordsIn(between);
  const [first] = words;
  return first === undefined || (words.length === 1 && isCopula(first));
}

/**
 * Whether the text between a keyword and a number tells what the code is for, or has the number of
 * that: " for order 4711 is ".
 */
export function isPurpose(between: string): boolean {
  if (!endsLikeName(between)) return false;
  const [first = ''] = wordsIn(between);
  return PURPOSES.has(first) || /^ ?\(/.test(between) || /\d{3}/.test(between);
}

/** Whether the text is of one sentence and ends with "is", a colon or the like. */
function endsLikeName(between: string): boolean {
  if (between.length > MAX_BETWEEN) return false;
  if (SENTENCE_END.test(between.replace(ABBREVIATION, ''))) return false;
  const last = wordsIn(between).at(-1);
  if (last === undefined) return true;
  const lower = between.toLowerCase();
  const rest = lower.slice(lower.lastIndexOf(last) + last.length);
  return NAMES_NEXT.test(rest) || isCopula(last);
}

function isCopula(word: string): boolean {
  return COPULAS.has(word) || COPULA_WITHOUT_SPACE.test(word);
}

/** The words of the text, without the rest of the word that it begins in. */
function wordsIn(text: string): string[] {
  const [first, ...others] = text.toLowerCase().match(WORDS) ?? [];
  if (first === undefined) return [];
  const isRest = text.toLowerCase().startsWith(first);
  return isRest && !isCopula(first) && !NO_SPACES.test(first) ? others : [first, ...others];
}

function isListed(between: string): boolean {
  return between.length <= MAX_BETWEEN && LIST.test(between);
}
