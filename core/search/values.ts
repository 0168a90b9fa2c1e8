/** Times and sizes in queries. */
import { parseIsoTime } from '../parse-iso-time.ts';

export const TIME_FORMS =
  'a date (2026-01-31), a time (2026-01-31T12:00:00Z), or an age (30m, 2h, 3d)';
export const SIZE_FORMS = 'a number of bytes, such as 20000, 500k or 2m';

const AGE = /^(\d{1,6})([smhdw])$/i;
const AGE_MS = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 7 * 86_400_000],
]);
const SIZE = /^(\d{1,15})([km]?)$/i;

/** An ISO 8601 time, UTC without an offset, or an age before `now`. Null for other text. */
export function parseTime(text: string, now: number): Date | null {
  const [, count, unit = ''] = AGE.exec(text) ?? [];
  if (count === undefined) return parseIsoTime(text);
  return new Date(now - Number(count) * (AGE_MS.get(unit.toLowerCase()) ?? 0));
}

/** Bytes; `k` is 1,000 and `m` 1,000,000. Null for other text. */
export function parseByteSize(text: string): number | null {
  const [, digits, unit = ''] = SIZE.exec(text) ?? [];
  if (digits === undefined) return null;
  const factor = { k: 1000, m: 1_000_000 }[unit.toLowerCase()] ?? 1;
  return Number(digits) * factor;
}
