/**
 * Counts the bytes that requests of a workspace store: a short request to forward a mail stores it
 * with all its attachments, so the limit of requests bounds no bytes.
 */
import type { StoreOutcome } from '../../db/statements/mails.ts';
import type { Caller } from '../auth/caller.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';

/** Base64 has four characters for three bytes, and a line end after 76 (RFC 2045 section 6.8). */
const ENCODED = (4 / 3) * (78 / 76);

/** The size of a mail that is yet to be composed, without its header. */
export function composedBytes(
  { text = '', html = '' }: { text?: string; html?: string },
  attachments: number[],
): number {
  const bodies = Buffer.byteLength(text) + Buffer.byteLength(html);
  return Math.ceil(bodies + attachments.reduce((sum, size) => sum + size, 0) * ENCODED);
}

/**
 * Stores a mail of `size` bytes. It counts twice: its source is stored, and what is read from it.
 * A mail that is not stored, or was stored before, does not count.
 * @throws {AppError} `rate_limited` above the limit, before `store` is called.
 */
export async function countStored(
  { rateLimits }: Pick<Context, 'rateLimits'>,
  { workspace }: Pick<Caller, 'workspace'>,
  size: number,
  store: () => Promise<StoreOutcome>,
): Promise<StoreOutcome> {
  const bytes = 2 * size;
  const counted = await rateLimits.countStoredBytes(workspace.id, bytes);
  if (counted?.exceeded) {
    await counted.refund();
    const { limit, reset } = counted;
    const what = `The mail needs ${bytes} bytes of the ${limit} that a workspace stores a minute (STORED_BYTES_PER_MINUTE).`;
    const next =
      bytes > limit
        ? 'Send a smaller mail, or ask the operator to raise the setting.'
        : `Retry in ${reset} s, or ask the operator to raise the setting.`;
    throw new AppError('rate_limited', `${what} ${next}`, { retryAfter: reset });
  }
  let outcome: StoreOutcome | null = null;
  try {
    outcome = await store();
    return outcome;
  } finally {
    if (outcome !== 'stored') await counted?.refund();
  }
}
