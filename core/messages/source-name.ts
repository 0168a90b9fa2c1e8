/**
 * Path separators, characters that file systems reject in names, control characters, and characters
 * that change the text direction.
 */
const UNFIT = /[\s\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;

/** A leading dot hides a file; Windows drops trailing dots and spaces. */
const EDGES = /^[. ]+|[. ]+$/g;

/** Together with `.eml` below 255 bytes, the limit of file systems. */
const MAX_BYTES = 196;

/**
 * The file name of a raw mail: its subject without unsuitable characters, at most 196 bytes of
 * UTF-8, or the message id if nothing is left. Ends in `.eml`, the extension of `message/rfc822`.
 */
export function sourceName(subject: string, messageId: string): string {
  const plain = cut(
    subject
      .slice(0, 10 * MAX_BYTES)
      .toWellFormed()
      .replace(UNFIT, ' ')
      .trim(),
  );
  return `${plain.replace(EDGES, '') || messageId}.eml`;
}

function cut(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_BYTES));
  return text.slice(0, read);
}
