const HUES = 6;

export function Avatar({ name, address }: { name: string; address: string }) {
  return (
    <span class={`avatar hue-${hueOf(address)}`} aria-hidden="true">
      {initials(name || address)}
    </span>
  );
}

/** Returns one or two letters that stand for a sender. */
function initials(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters
    .map((word) => String.fromCodePoint((word ?? '?').codePointAt(0) ?? 63).toUpperCase())
    .join('');
}

/** Returns one of a fixed set of hues. The same address always gets the same hue. */
function hueOf(address: string): number {
  let hash = 7;
  for (const letter of address) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash % HUES;
}
