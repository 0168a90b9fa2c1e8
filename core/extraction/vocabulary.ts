/**
 * Finds the words of all languages in a text, in one pass: the patterns are indexed by their first
 * two characters. `*` at the start of a pattern stands for any beginning of the word, at the end
 * for any ending.
 */
import asian from './languages/asian.json' with { type: 'json' };
import european from './languages/european.json' with { type: 'json' };
import germanic from './languages/germanic.json' with { type: 'json' };
import international from './languages/international.json' with { type: 'json' };
import middleEast from './languages/middle-east.json' with { type: 'json' };
import romance from './languages/romance.json' with { type: 'json' };
import slavic from './languages/slavic.json' with { type: 'json' };
import { foldCase } from './normalize.ts';

const MEANINGS = [
  'code',
  'weak',
  // Those of `code` that do not say what the code is for, such as "your code".
  'generic',
  // Between a code and its name: "is your".
  'follows',
  // Verbs whose object is a code: "enter".
  'enter',
  // What a code is for, beside the kinds of links: "to continue".
  'proceed',
  'promotion',
  'notCode',
  'reference',
  'phone',
  'expiry',
  'verify',
  'signIn',
  'reset',
  'invite',
  'unsubscribe',
  'preferences',
  'viewOnline',
  'legal',
  'revoke',
] as const;

export type Meaning = (typeof MEANINGS)[number];
type Language = Partial<Record<Meaning, string[]>>;

/** A pattern found in a text. */
export interface Hit {
  meaning: Meaning;
  word: string;
  start: number;
  end: number;
}

interface Pattern {
  meaning: Meaning;
  word: string;
  openStart: boolean;
  openEnd: boolean;
}

/** The patterns that begin with the same two characters, longest first. */
interface Bucket {
  all: Pattern[];
  /** Those of two characters. */
  short: Pattern[];
  /** By their third character, each with those of two. */
  byThird: Map<number, Pattern[]>;
}

const LANGUAGES: Record<string, Language> = {
  ...germanic,
  ...romance,
  ...slavic,
  ...european,
  ...middleEast,
  ...asian,
  ...international,
};

/** The languages with words of their own, as BCP 47 tags. */
export const LISTED_LANGUAGES = Object.keys(LANGUAGES).filter((tag) => tag !== 'und');

/** In characters. */
const LEAST_WITHOUT_MARKS = 7;
const MARKS = /\p{Mn}/gu;
const LATIN = /^[a-z0-9 *'/.#-]+$/;
/** Letters that no decomposition (NFD) changes. */
const LETTERS_WITH_STROKE: Record<string, string> = {
  đ: 'd',
  ł: 'l',
  ø: 'o',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
};
const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u;
const index = buildIndex();
/**
 * What a pair of ASCII characters can start, as a number of 14 bits: nothing, a word, any part of
 * one.
 */
const STARTS = { nothing: 0, word: 1, part: 2 };
const asciiStarts = buildAsciiStarts();

/** In characters. */
export const LONGEST_WORD = [...index.values()]
  .flatMap(({ all }) => all)
  .reduce((longest, { word }) => Math.max(longest, word.length), 0);

/** Every pattern in the text, in order of their start; the longest of a meaning at each place. */
export function findWords(text: string): Hit[] {
  const folded = foldCase(text);
  const hits: Hit[] = [];
  let code = folded.charCodeAt(0);
  let before = 0;
  for (let at = 0; at + 1 < folded.length; at++) {
    const next = folded.charCodeAt(at + 1);
    if (canStart(before, code, next)) {
      const bucket = index.get(code * 0x10000 + next);
      const patterns = bucket?.byThird.get(folded.charCodeAt(at + 2)) ?? bucket?.short;
      if (patterns) collect(folded, at, patterns, hits);
    }
    before = code;
    code = next;
  }
  return hits;
}

/** False for most places of a text: within a word of ASCII letters few patterns start. */
function canStart(before: number, code: number, next: number): boolean {
  if ((code | next) >= 0x80) return true;
  const starts = asciiStarts[(code << 7) | next] ?? STARTS.part;
  return starts > (isAsciiWord(before) ? STARTS.word : STARTS.nothing);
}

function isAsciiWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
}

function collect(text: string, at: number, patterns: Pattern[], hits: Hit[]): void {
  const isStart = at === 0 || !isWordCharacter(text, at - 1);
  let seen: Set<Meaning> | null = null;
  for (const { meaning, word, openStart, openEnd } of patterns) {
    if ((!isStart && !openStart) || !text.startsWith(word, at) || seen?.has(meaning)) continue;
    const end = at + word.length;
    if (!openEnd && isWordCharacter(text, end) && isWordCharacter(text, end - 1)) continue;
    seen ??= new Set();
    seen.add(meaning);
    hits.push({ meaning, word, start: at, end });
  }
}

function isWordCharacter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0x80) return isAsciiWord(code);
  return code >= 0x80 && WORD_CHARACTER.test(text[at] ?? '');
}

function keyAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}

function buildIndex(): Map<number, Bucket> {
  const found = new Map<number, Map<string, Pattern>>();
  for (const language of Object.values(LANGUAGES)) {
    for (const meaning of MEANINGS) {
      for (const written of (language[meaning] ?? []).flatMap(spellings)) {
        const pattern = parse(meaning, written);
        const key = keyAt(pattern.word, 0);
        const bucket = found.get(key) ?? new Map<string, Pattern>();
        found.set(key, bucket.set(`${meaning} ${written}`, pattern));
      }
    }
  }
  const byLength = (one: Pattern, other: Pattern) => other.word.length - one.word.length;
  return new Map(
    [...found].map(([key, bucket]) => [key, bucketOf([...bucket.values()].sort(byLength))]),
  );
}

/**
 * A Latin pattern also as people write it without marks: `mã xác thực`, `ma xac thuc`. Short ones
 * could then be words of another language.
 */
function spellings(written: string): string[] {
  const plain = written
    .normalize('NFD')
    .replace(MARKS, '')
    .replace(/[đłøıßæ]/g, (letter) => LETTERS_WITH_STROKE[letter] ?? letter);
  return plain === written || plain.length < LEAST_WITHOUT_MARKS || !LATIN.test(plain)
    ? [written]
    : [written, plain];
}

function bucketOf(all: Pattern[]): Bucket {
  const short = all.filter(({ word }) => word.length === 2);
  const thirds = new Set(
    all.filter(({ word }) => word.length > 2).map((p) => p.word.charCodeAt(2)),
  );
  const byThird = new Map(
    [...thirds].map((third) => [
      third,
      all.filter(({ word }) => word.length === 2 || word.charCodeAt(2) === third),
    ]),
  );
  return { all, short, byThird };
}

function buildAsciiStarts(): Uint8Array {
  const starts = new Uint8Array(1 << 14);
  for (const [key, bucket] of index) {
    const [code, next] = [key >>> 16, key & 0xffff];
    if ((code | next) >= 0x80) continue;
    const isPart = bucket.all.some(({ openStart }) => openStart);
    starts[(code << 7) | next] = isPart ? STARTS.part : STARTS.word;
  }
  return starts;
}

function parse(meaning: Meaning, written: string): Pattern {
  const openStart = written.startsWith('*');
  const openEnd = written.endsWith('*');
  const word = written.slice(openStart ? 1 : 0, openEnd ? -1 : undefined);
  return { meaning, word: foldCase(word.normalize('NFC')), openStart, openEnd };
}
