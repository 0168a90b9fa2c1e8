/** Texts of mail as names of files. */

/**
 * Path separators, characters that file systems reject in names, control characters, and characters
 * that change the text direction.
 */
const UNFIT = /[\s\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;

/** A leading dot hides a file; Windows drops trailing dots and spaces. */
const EDGES = /^[. ]+|[. ]+$/g;

/** Together with an extension below 255 bytes, the limit of file systems. */
const MAX_BYTES = 196;

/**
 * The text without unsuitable characters, at most 196 bytes of UTF-8. Empty if nothing is left.
 */
export function fileName(text: string): string {
  const plain = text
    .slice(0, 10 * MAX_BYTES)
    .toWellFormed()
    .replace(UNFIT, ' ')
    .trim();
  const { read } = new TextEncoder().encodeInto(plain, new Uint8Array(MAX_BYTES));
  return plain.slice(0, read).replace(EDGES, '');
}
