/** The words of a query that are marked in rows. */

/** Where a row shows a word. */
export type RowField = 'from' | 'subject' | 'tag';

const TERM = /(-?)(?:([\w-]+):)?(?:"([^"]*)"|([^\s"]+))/g;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts that are written without spaces: a word can start anywhere. */
const UNSPACED = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]/u;

export function wordsFor(query: string, field: RowField): string[] {
  const words: string[] = [];
  for (const [, minus, operator, quoted, bare] of query.matchAll(TERM)) {
    const isAbout = operator === undefined || operator.toLowerCase() === field;
    if (minus === '-' || !isAbout) continue;
    words.push(...((quoted ?? bare ?? '').match(WORD) ?? []));
  }
  return words;
}

/** The parts of a text, every second of which is marked. */
export function markedParts(text: string, words: readonly string[]): string[] {
  if (words.length === 0) return [text];
  const starts = words.map((word) =>
    UNSPACED.test(word) ? word : `(?<![\\p{L}\\p{M}\\p{N}])${word}`,
  );
  return text.split(new RegExp(`(${starts.join('|')})`, 'giu'));
}
