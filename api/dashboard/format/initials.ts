const HUES = 6;

/** One or two letters for a sender. */
export function initials(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters
    .map((word) => String.fromCodePoint((word ?? '?').codePointAt(0) ?? 63).toUpperCase())
    .join('');
}

/** One of a few hues, always the same for the same address. */
export function hueOf(address: string): number {
  let hash = 7;
  for (const letter of address) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash % HUES;
}
