/** Parses mail that a request waits for: a raw upload, or a mail enclosed in another. */
import { INLINE_MAX_BYTES } from '../blobs/blob-store.ts';
import type { DraftContent, Mail } from './parse-mail.ts';
import type { ParsePool } from './parser-pool.ts';

/**
 * Parses as the worker does: a small mail in this process, otherwise in a child, at first with the
 * short time limit and then with the long one. After that only the header is parsed.
 * @throws {AppError} `unavailable` if no child can be started.
 */
export async function parseForRequest(
  pool: ParsePool,
  raw: Buffer,
): Promise<Mail<Buffer | DraftContent>> {
  const inline = raw.length <= INLINE_MAX_BYTES ? await pool.parseInline(raw) : null;
  return inline ?? (await pool.parseQuickly(raw, raw.length)) ?? pool.parse(raw);
}
