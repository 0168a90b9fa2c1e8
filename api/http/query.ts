/** Stricter checks of query strings than those of the validator. */
import { type ParsedUrlQuery, parse } from 'node:querystring';
import type { RequestHandler } from 'express';
import { AppError } from '../../core/errors.ts';
import { parseIsoTime } from '../../core/parse-iso-time.ts';

/** Express reads 1,000 parameters and ignores the others. The limit of the header bounds these. */
export const readQuery = (text: string): ParsedUrlQuery =>
  parse(text, undefined, undefined, { maxKeys: 0 });

/**
 * Reads a literal `+` as itself: the sign of an offset in `since`, the start of a tag in an
 * address.
 */
export const plainPlus: RequestHandler = (req, _res, next) => {
  req.url = req.url.replace(
    /([?&](?:since|from|to|with)=)([^&]*)/g,
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

/** An integer in the query, with its bounds. */
export interface IntegerParameter {
  name: string;
  minimum: number;
  maximum: number;
}

/** Rejects every query parameter, for an endpoint that has none and is not validated. */
export const noQuery: RequestHandler = (req, _res, next) => {
  const [name] = queryOf(req).keys();
  if (name !== undefined) {
    throw new AppError('invalid_request', `Unknown query parameter "${name.slice(0, 64)}".`);
  }
  next();
};

/**
 * Accepts only decimal digits in integers; the validator would also accept `0x10`, `1e1` and ` 5`.
 */
export function plainIntegers(integers: readonly IntegerParameter[]): RequestHandler {
  return (req, _res, next) => {
    const query = queryOf(req);
    for (const { name, minimum, maximum } of integers) {
      if (query.getAll(name).some((text) => !/^\d+$/.test(text))) {
        throw new AppError(
          'invalid_request',
          `"${name}" must be an integer from ${minimum} to ${maximum}.`,
        );
      }
    }
    next();
  };
}

/**
 * The query string. The whole request target is not parsed, because it need not be a valid URL (for
 * example `//`).
 */
function queryOf({ url }: { url: string }): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start));
}

/**
 * The value of the parameter or field `since`.
 * @throws {AppError} `invalid_request` unless the text is an ISO 8601 time.
 */
export function readSince(text: string): Date {
  const date = parseIsoTime(text);
  if (!date) {
    throw new AppError(
      'invalid_request',
      '"since" must be an ISO 8601 time such as 2026-01-31T12:00:00Z. Without an offset it is UTC.',
    );
  }
  return date;
}
