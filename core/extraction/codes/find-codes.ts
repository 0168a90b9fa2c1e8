/** The codes of a mail with their reasons, best first, and the numbers that are no codes. */
import { type Block, keywordsOf, newBlock } from '../block.ts';
import { normalize } from '../normalize.ts';
import { round, sumOf } from '../confidence.ts';
import type { Code, Objection, Reason, Rejected } from '../types.ts';
import { type CodeCandidate, PREFIXED, candidatesIn, originBound } from './candidates.ts';
import {
  type CandidateContext,
  emphasis,
  expiryNear,
  isNamed,
  keywordAfter,
  keywordBefore,
  shapeReason,
} from './evidence.ts';
import { isOwnBlock, isReference } from './keywords.ts';
import { Namings } from './naming.ts';
import { objectionTo } from './objections.ts';
import { isPromotion } from './promotion.ts';
import { purposeOf } from './purpose.ts';
import { WordsNear } from './words-near.ts';

const MAX_LISTED = 20;
/** Occurrences looked at; a mail with more is not one that carries a code. */
const MAX_CANDIDATES = 2000;
/** Limits of what is shown without a keyword of any language, and of hidden text. */
const CAPS = { withoutKeyword: 0.75, hidden: 0.5 };
const ORIGIN_BOUND = 0.99;
const CONTEXT = 60;
/** Below this confidence a candidate is not shown. */
const LEAST = 0.3;

export interface FoundCodes {
  codes: Code[];
  rejected: Rejected[];
  truncated: boolean;
}

/** @param bodies the blocks of each part of the mail. */
export function findCodes(subject: string, bodies: Block[][]): FoundCodes {
  const subjectBlock = newBlock(normalize(subject.slice(0, 2000)).trim(), 'subject');
  const search = new Search(subjectBlock);
  for (const blocks of [[subjectBlock], ...bodies]) search.read(blocks);
  return search.result();
}

class Search {
  readonly #best = new Map<string, Code>();
  readonly #rejected = new Map<string, Objection>();
  readonly #inSubject: Set<string>;
  readonly #subjectKeyword: string | null;
  readonly #subject: Block;
  #looked = 0;

  constructor(subject: Block) {
    const { text } = subject;
    this.#subject = subject;
    this.#inSubject = new Set(candidatesIn(text, MAX_CANDIDATES).map(({ value }) => value));
    const words = keywordsOf(subject);
    const keyword = words.find(({ meaning }) => meaning === 'code');
    this.#subjectKeyword =
      (keyword ?? words.find(({ meaning }) => meaning === 'weak'))?.word ?? null;
  }

  read(blocks: Block[]): void {
    const words = new WordsNear(blocks);
    const namings = new Namings(blocks, words);
    for (const [at, block] of blocks.entries()) {
      const bound = originBound(block.text);
      if (bound) this.#keep(block, bound, [originReason], ORIGIN_BOUND);
      for (const candidate of namings.candidatesOf(at)) {
        if (++this.#looked > MAX_CANDIDATES) return;
        this.#judge({ blocks, at, words, namings }, block, candidate);
      }
    }
  }

  #judge(place: CandidateContext, block: Block, candidate: CodeCandidate): void {
    const before = keywordBefore(place, candidate);
    const ownBlock = isOwnBlock(block, candidate);
    const after = before && before.weight >= 0.35 ? null : keywordAfter(place, candidate);
    const keyword = strongest(before, after) ?? purposeOf(place, candidate);
    const named = keyword !== null && isNamed(keyword, ownBlock);
    if (candidate.form === 'letters' && !(named && keyword === before)) return;
    const objection =
      objectionTo(block.text, candidate, { named }) ??
      (block.quoted ? 'quoted' : null) ??
      (isReference(place, candidate) ? 'reference' : null) ??
      (isPromotion(place, candidate, this.#subject) ? 'reference' : null) ??
      (block.footer && !named ? 'footer' : null);
    if (objection) {
      if (this.#rejected.size < MAX_LISTED * 10) this.#rejected.set(candidate.value, objection);
      return;
    }
    const fromSubject = this.#reasonOfSubject(block, candidate, keyword !== null);
    const reasons = [
      shapeReason(candidate),
      keyword,
      ownBlock ? { rule: 'own_block', detail: candidate.display, weight: 0.25 } : null,
      emphasis(block, candidate),
      fromSubject,
      expiryNear(place, candidate),
    ].filter((reason) => reason !== null);
    const hasKeyword = keyword !== null || fromSubject !== null;
    const cap = block.hidden ? CAPS.hidden : hasKeyword ? 1 : CAPS.withoutKeyword;
    this.#keep(block, candidate, reasons, cap);
  }

  #reasonOfSubject(
    { source }: Block,
    { value }: CodeCandidate,
    hasKeyword: boolean,
  ): Reason | null {
    if (source === 'subject') return null;
    if (this.#inSubject.has(value)) return { rule: 'same_in_subject', detail: value, weight: 0.15 };
    if (hasKeyword || this.#subjectKeyword === null) return null;
    return { rule: 'keyword_in_subject', detail: this.#subjectKeyword, weight: 0.15 };
  }

  #keep(block: Block, candidate: CodeCandidate, reasons: Reason[], cap: number): void {
    const { value, display, start, end } = candidate;
    const confidence = round(Math.min(sumOf(reasons), cap, ORIGIN_BOUND));
    const known = this.#best.get(value);
    if (confidence < LEAST || (known && known.confidence >= confidence)) return;
    const context = block.text.slice(Math.max(0, start - CONTEXT), end + CONTEXT).trim();
    this.#best.set(value, { value, display, confidence, source: block.source, context, reasons });
  }

  /** `FB-55120` and `55120` in one mail are one code: the digits. */
  #joinPrefixed(): void {
    for (const [value, code] of this.#best) {
      const [, , digits = ''] = PREFIXED.exec(value) ?? [];
      const alone = this.#best.get(digits);
      if (!alone) continue;
      this.#best.delete(value);
      if (code.confidence > alone.confidence) this.#best.set(digits, { ...code, value: digits });
    }
  }

  result(): FoundCodes {
    this.#joinPrefixed();
    const all = [...this.#best.values()].sort((one, other) => other.confidence - one.confidence);
    const codes = all.slice(0, MAX_LISTED);
    const shown = new Set(codes.map(({ value }) => value));
    const refused = [...this.#rejected].filter(([value]) => !shown.has(value));
    const rejected = refused.slice(0, MAX_LISTED).map(([value, reason]) => ({ value, reason }));
    const truncated =
      this.#looked > MAX_CANDIDATES || all.length > MAX_LISTED || refused.length > MAX_LISTED;
    return { codes, rejected, truncated };
  }
}

const originReason: Reason = {
  rule: 'origin_bound',
  detail: '@domain #code',
  weight: ORIGIN_BOUND,
};

function strongest(one: Reason | null, other: Reason | null): Reason | null {
  if (!one || !other) return one ?? other;
  return one.weight >= other.weight ? one : other;
}
