/**
 * The tokenizer of search. It cuts both texts and queries, so an index and a scan find the same.
 *
 * A word is a run of letters, marks and digits; everything else separates words. Case is folded,
 * accents are kept. Scripts that are written without spaces (Chinese, Japanese, Korean, Thai, Lao,
 * Khmer, Burmese) are cut into overlapping pairs of characters, and the last character of a run is
 * a word as well, so that any part of a run can be found. A pictograph is a word.
 */
import { foldText } from './characters.ts';

/** A word of a query. */
export interface QueryWord {
  word: string;
  /** Whether it stands for all words that start with it. */
  isPrefix: boolean;
}

const PAIRED = ['Hani', 'Hira', 'Kana', 'Hang', 'Bopo', 'Thai', 'Laoo', 'Khmr', 'Mymr']
  .map((script) => `\\p{scx=${script}}`)
  .join('');
const CHARACTERS = String.raw`[\p{L}\p{M}\p{N}]`;
const RUNS = new RegExp(
  `(?<paired>[${CHARACTERS}&&[${PAIRED}]]+)|[${CHARACTERS}--[${PAIRED}]]+|\\p{Extended_Pictographic}`,
  'gv',
);
const ASCII_ONLY = /^[\0-\x7f]*$/;
const ASCII_WORDS = /[a-z0-9]+/g;

/** @param folded from {@link foldText} */
export function tokenize(folded: string): string[] {
  if (ASCII_ONLY.test(folded)) return folded.match(ASCII_WORDS) ?? [];
  const words: string[] = [];
  for (const { text, isPaired } of runs(folded)) {
    if (!isPaired) words.push(text);
    else for (const pair of pairs(text, true)) words.push(pair);
  }
  return words;
}

/**
 * The words that a text must have in a row to match.
 * @param isWhole whether the last word must be complete; otherwise it is the start of one
 */
export function queryWords(text: string, isWhole: boolean): QueryWord[] {
  const found = [...runs(foldText(text))];
  return found.flatMap((run, index) => {
    const isLast = index === found.length - 1;
    if (!run.isPaired) return [{ word: run.text, isPrefix: isLast && !isWhole }];
    // A single character is the start of a pair, or the end of a run.
    const characters = pairs(run.text, !isLast);
    if (characters.length === 0) return [{ word: run.text, isPrefix: true }];
    return characters.map((word) => ({ word, isPrefix: false }));
  });
}

function* runs(folded: string): Generator<{ text: string; isPaired: boolean }> {
  for (const { 0: text, groups } of folded.matchAll(RUNS)) {
    yield { text, isPaired: groups?.['paired'] !== undefined };
  }
}

function pairs(run: string, withLast: boolean): string[] {
  const characters = Array.from(run);
  const words = characters.slice(1).map((next, index) => `${characters[index] ?? ''}${next}`);
  const last = characters.at(-1);
  return withLast && last !== undefined ? [...words, last] : words;
}
