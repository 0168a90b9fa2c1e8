/** Texts with the frequencies of natural language: few words are common, most are rare. */

const VOCABULARY = 50_000;
const WORDS_A_MAIL = 280;
const SYLLABLES = 'ba ce di fo gu la me ni po ru sa te vi xo zu'.split(' ');

/** In one of this many mails, for {@link wordsOfMail}. */
export const FREQUENCY = { rare: 20_000, common: 20, frequent: 2 } as const;
export type Frequency = keyof typeof FREQUENCY;

/** The word that marks mails of this frequency. There are several rare words. */
export function marker(frequency: Frequency, n = 0): string {
  return frequency === 'rare' ? `rareword${Math.floor(n / FREQUENCY.rare)}` : `${frequency}word`;
}

/** About 2 KB of words, the same for the same number. */
export function wordsOfMail(n: number): string {
  const random = generator(n);
  const words = Array.from({ length: WORDS_A_MAIL }, () => {
    const rank = Math.floor(VOCABULARY ** random());
    return wordOf(rank);
  });
  const marks = (Object.keys(FREQUENCY) as Frequency[]).filter(
    (frequency) => n % FREQUENCY[frequency] === 0,
  );
  return [...words, ...marks.map((frequency) => marker(frequency, n))].join(' ');
}

function wordOf(rank: number): string {
  let rest = rank;
  let word = '';
  do {
    word += SYLLABLES[rest % SYLLABLES.length] ?? '';
    rest = Math.floor(rest / SYLLABLES.length);
  } while (rest > 0);
  return word;
}

/** Mulberry32: numbers from 0 to 1. */
function generator(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
