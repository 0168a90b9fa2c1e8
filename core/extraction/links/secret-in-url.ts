/**
 * Whether a URL carries a secret: a long value that looks random, at the end of its path or as a
 * parameter.
 */
import type { Reason } from '../types.ts';

const LEAST_LENGTH = 16;
/** Bits per character by Shannon; words of a language have less variety at this length. */
const LEAST_ENTROPY = 3;
const SHORT_VALUE = /^\d{4,10}$|^(?=.*\d)[A-Za-z0-9_-]{6,15}$/;
const SECRET_NAME = /token|code|key|hash|secret|otp|signature|nonce/i;

export function secretIn(url: URL): Reason | null {
  for (const [name, value] of [...url.searchParams].slice(0, 50)) {
    if (isRandom(value))
      return { rule: 'secret', detail: `parameter ${name.slice(0, 40)}`, weight: 0.15 };
    if (SECRET_NAME.test(name) && SHORT_VALUE.test(value)) {
      return { rule: 'secret', detail: `parameter ${name.slice(0, 40)}`, weight: 0.15 };
    }
  }
  const ends = [
    ...url.pathname.split('/').slice(-3),
    ...url.hash.slice(1).split(/[/=&]/).slice(-3),
  ];
  return ends.some(isRandom) ? { rule: 'secret', detail: 'path', weight: 0.15 } : null;
}

function isRandom(value: string): boolean {
  if (value.length < LEAST_LENGTH) return false;
  const part = value.slice(0, 256);
  if (!/\d/.test(part) && !/[a-z][A-Z]/.test(part)) return false;
  return entropy(part) >= LEAST_ENTROPY;
}

function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
