import { randomInt } from 'node:crypto';
import { adjectives, nouns } from './words.js';

/** No vowels, so no words by accident; no digits or letters that look like one another. */
const SUFFIX_LETTERS = 'bcdfghjkmnpqrstvwxz23456789'.split('');
const SUFFIX_LENGTH = 7;

/** A mailbox name that is easy to read and not to be guessed: two words and 33 random bits. */
export function generateSlug(): string {
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () => pick(SUFFIX_LETTERS)).join('');
  return `${pick(adjectives)}-${pick(nouns)}-${suffix}`;
}

function pick(choices: readonly string[]): string {
  return choices[randomInt(choices.length)] ?? '';
}
