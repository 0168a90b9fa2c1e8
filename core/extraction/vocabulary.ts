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
import { foldCase } from './normalize.js';

const MEANINGS = [
  'code',
  'weak',
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

const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u;
const index = buildIndex();

/** Every pattern in the text, in order of their start; the longest of a meaning at each place. */
export function findWords(text: string): Hit[] {
  const folded = foldCase(text);
  const hits: Hit[] = [];
  for (let at = 0; at + 1 < folded.length; at++) {
    const bucket = index.get(keyAt(folded, at));
    if (bucket) collect(folded, at, bucket, hits);
  }
  return hits;
}

function collect(text: string, at: number, bucket: Pattern[], hits: Hit[]): void {
  const isStart = at === 0 || !isWordCharacter(text, at - 1);
  let seen: Set<Meaning> | null = null;
  for (const { meaning, word, openStart, openEnd } of bucket) {
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
  if (code < 0x80) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  return code >= 0x80 && WORD_CHARACTER.test(text[at] ?? '');
}

function keyAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}

function buildIndex(): Map<number, Pattern[]> {
  const found = new Map<number, Map<string, Pattern>>();
  for (const language of Object.values(LANGUAGES)) {
    for (const meaning of MEANINGS) {
      for (const written of language[meaning] ?? []) {
        const pattern = parse(meaning, written);
        const key = keyAt(pattern.word, 0);
        const bucket = found.get(key) ?? new Map<string, Pattern>();
        found.set(key, bucket.set(`${meaning} ${written}`, pattern));
      }
    }
  }
  const byLength = (one: Pattern, other: Pattern) => other.word.length - one.word.length;
  return new Map([...found].map(([key, bucket]) => [key, [...bucket.values()].sort(byLength)]));
}

function parse(meaning: Meaning, written: string): Pattern {
  const openStart = written.startsWith('*');
  const openEnd = written.endsWith('*');
  const word = written.slice(openStart ? 1 : 0, openEnd ? -1 : undefined);
  return { meaning, word: foldCase(word.normalize('NFC')), openStart, openEnd };
}
