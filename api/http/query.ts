/** Stricter checks of query strings than those of the validator. */
import type { RequestHandler } from 'express';
import { AppError } from '../../core/errors.ts';

/**
 * Reads a literal `+` as itself: the sign of an offset in `since`, the start of a tag in an
 * address.
 */
export const plainPlus: RequestHandler = (req, _res, next) => {
  req.url = req.url.replace(
    /([?&](?:since|from|to)=)([^&]*)/g,
    (_all, name: string, value: string) => name + value.replaceAll('+', '%2B'),
  );
  next();
};

/**
 * Rejects brackets in parameter names. The validator parses `a[b]=1` as an object `a` and drops it
 * if unknown, so the parameter would be ignored silently.
 */
export const plainNames: RequestHandler = (req, _res, next) => {
  const odd = [...queryOf(req).keys()].find((name) => name.includes('['));
  if (odd !== undefined) {
    throw new AppError('invalid_request', `Unknown query parameter "${odd.slice(0, 64)}".`);
  }
  next();
};

const INTEGERS = { limit: [1, 100], count: [1, 100], timeout: [0, 55] } as const;

/**
 * Accepts only decimal digits in integers; the validator would also accept `0x10`, `1e1` and ` 5`.
 */
export const plainIntegers: RequestHandler = (req, _res, next) => {
  const query = queryOf(req);
  for (const [name, [least, most]] of Object.entries(INTEGERS)) {
    if (query.getAll(name).some((text) => !/^\d+$/.test(text))) {
      throw new AppError(
        'invalid_request',
        `"${name}" must be an integer from ${least} to ${most}.`,
      );
    }
  }
  next();
};

/**
 * The query string. The whole request target is not parsed, because it need not be a valid URL (for
 * example `//`).
 */
function queryOf({ url }: { url: string }): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start));
}

/** Converts a valid date-time. Leap seconds and days such as 30 February are rejected. */
export function toDate(name: string, text: string): Date {
  const date = new Date(text);
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  const isDay = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  if (Number.isNaN(date.getTime()) || !isDay) {
    throw new AppError(
      'invalid_request',
      `"${name}" must be a valid date-time such as 2026-01-31T12:00:00Z.`,
    );
  }
  return date;
}
