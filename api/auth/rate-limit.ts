/**
 * Rate limits in HTTP: the structured fields `RateLimit-Policy` and `RateLimit` of
 * draft-ietf-httpapi-ratelimit-headers-10 (`q` quota, `w` window in seconds; `r` remaining, `t`
 * seconds until reset), and 429 (RFC 6585 section 4) with `Retry-After`.
 */
import type { RequestHandler, Response } from 'express';
import type { Context } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { type RateLimitStatus, WINDOW_SECONDS } from '../../core/limits/rate-limit.js';

/** Counts the request against the limit of the caller's workspace. */
export function limitRate({ rateLimits }: Pick<Context, 'rateLimits'>): RequestHandler {
  return async (_req, res, next) => {
    const { workspace } = res.locals.caller;
    applyRateLimit(res, await rateLimits.countRequest(workspace), 'Rate limit exceeded.');
    next();
  };
}

/**
 * Sets the rate limit headers.
 * @throws {AppError} `rate_limited` with the given text if the limit is exceeded.
 */
export function applyRateLimit(
  res: Response,
  standing: RateLimitStatus | null,
  refusal: string,
): void {
  if (!standing) return;
  const { policy, limit, remaining, reset, exceeded } = standing;
  res.setHeader('RateLimit-Policy', `"${policy}";q=${limit};w=${WINDOW_SECONDS}`);
  res.setHeader('RateLimit', `"${policy}";r=${remaining};t=${reset}`);
  if (!exceeded) return;
  res.setHeader('Retry-After', reset);
  throw new AppError('rate_limited', `${refusal} Retry in ${reset} s.`);
}
