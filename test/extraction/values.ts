/** Random codes and links from a seed, so that two runs have the same mails. */
export interface Values {
  code: () => string;
  token: (length?: number) => string;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function valuesFrom(seed: number): Values {
  let state = seed;
  // Numerical Recipes, a linear congruential generator: enough for test data.
  const next = (limit: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return {
    code: () => String(next(1_000_000)).padStart(6, '0'),
    token: (length = 32) => Array.from({ length }, () => LETTERS[next(LETTERS.length)]).join(''),
  };
}
