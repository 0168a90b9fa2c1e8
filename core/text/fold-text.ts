/**
 * The form in which texts are compared: NFKC, without case, runs of white space as one space, and
 * without invisible characters.
 */
export function foldText(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase() // ß and SS are equal
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
