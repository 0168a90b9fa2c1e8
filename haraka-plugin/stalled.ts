/**
 * Clients that send a mail so slowly that they only hold a connection. Haraka's own time limit begins
 * anew with every byte.
 */
import type { Envelope } from './envelope.js';

const DATA_DEADLINE_MS = 30 * 60_000;
const GRACE_MS = 60_000;
const MIN_BYTES_PER_SECOND = 1000;

/** Whether the mail being sent has taken too long, at `now` (ms since 1970). */
export function isStalled({ dataSince, isWhole, sink }: Envelope, now: number): boolean {
  if (dataSince === null || isWhole) return false;
  const elapsed = now - dataSince;
  if (elapsed > DATA_DEADLINE_MS) return true;
  return elapsed > GRACE_MS && sink.mailBytes < (elapsed / 1000) * MIN_BYTES_PER_SECOND;
}
