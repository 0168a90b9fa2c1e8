/** Path separators, what file systems refuse in names, control characters, and characters that reorder a line. */
const UNFIT = /[\s\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;

/** A leading dot hides a file; Windows drops dots and spaces at the end. */
const EDGES = /^[. ]+|[. ]+$/g;

/** With `.eml` fewer than the 255 that file systems allow. */
const MAX_BYTES = 196;

/**
 * The file name of a raw mail: its subject, at most 196 bytes of UTF-8, as far as a file name may hold it; the id of
 * its message where nothing is left of that. Ends in `.eml`, the extension of `message/rfc822`.
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
