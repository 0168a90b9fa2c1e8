/** The few things about query strings that the validator takes more loosely than the interface does. */
import type { RequestHandler } from 'express';
import { AppError } from '../../core/errors.js';

/**
 * A `+` in `since` is the sign of an offset, and in an address the beginning of a tag, also where a client wrote it
 * plainly.
 */
export const plainPlus: RequestHandler = (req, _res, next) => {
  req.url = req.url.replace(
    /([?&](?:since|from|to)=)([^&]*)/g,
    (_all, name: string, value: string) => name + value.replaceAll('+', '%2B'),
  );
  next();
};

/**
 * No parameter has brackets in its name. The validator takes such a name apart, as `a[b]=1` for an object
 * `a`, and drops what it can make nothing of, so that it would pass for a request without it.
 */
export const plainNames: RequestHandler = (req, _res, next) => {
  const odd = [...queryOf(req).keys()].find((name) => name.includes('['));
  if (odd !== undefined) {
    throw new AppError('invalid_request', `Unknown query parameter '${odd.slice(0, 64)}'.`);
  }
  next();
};

/** Reads only decimal digits as `limit`, though coercion would take `0x10`, `1e1` and ` 5`. */
export const plainLimit: RequestHandler = (req, _res, next) => {
  if (
    queryOf(req)
      .getAll('limit')
      .some((limit) => !/^\d+$/.test(limit))
  ) {
    throw new AppError('invalid_request', '"limit" must be a whole number from 1 to 100.');
  }
  next();
};

/** The query alone: as a whole, what a request line holds need not be a URL (`//` is none). */
function queryOf({ url }: { url: string }): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start));
}

/** A date-time that the format allowed; leap seconds and days like 30 February are no times to us. */
export function toDate(name: string, text: string): Date {
  const date = new Date(text);
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  const isDay = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  if (Number.isNaN(date.getTime()) || !isDay) {
    throw new AppError('invalid_request', `"${name}" is not a date-time.`);
  }
  return date;
}
