/**
 * Rate limits as HTTP shows them: `RateLimit-Policy` and `RateLimit`, structured fields of
 * draft-ietf-httpapi-ratelimit-headers-10 (`q` quota, `w` window in seconds; `r` remaining, `t` seconds until
 * the quota is there again), and for a refusal 429 (RFC 6585 section 4) with `Retry-After`.
 */
import type { RequestHandler, Response } from 'express';
import type { Context } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { type Standing, WINDOW_SECONDS } from '../../core/limits/rate-limit.js';

/** Counts the request for the caller's workspace. */
export function limitRate({ rateLimits }: Pick<Context, 'rateLimits'>): RequestHandler {
  return async (_req, res, next) => {
    const { workspace } = res.locals.caller;
    applyStanding(
      res,
      await rateLimits.countRequest(workspace),
      'This workspace has made all the requests its plan allows in a minute.',
    );
    next();
  };
}

/**
 * Tells the standing in header fields.
 * @throws {AppError} `rate_limited`, with the given text, when it is exceeded.
 */
export function applyStanding(res: Response, standing: Standing | null, refusal: string): void {
  if (!standing) return;
  const { policy, limit, remaining, reset, exceeded } = standing;
  res.setHeader('RateLimit-Policy', `"${policy}";q=${limit};w=${WINDOW_SECONDS}`);
  res.setHeader('RateLimit', `"${policy}";r=${remaining};t=${reset}`);
  if (!exceeded) return;
  res.setHeader('Retry-After', reset);
  throw new AppError('rate_limited', `${refusal} Try again in ${reset} s.`);
}
