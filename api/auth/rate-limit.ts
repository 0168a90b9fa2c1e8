/**
 * Rate limits in HTTP: the structured fields `RateLimit-Policy` and `RateLimit` of
 * draft-ietf-httpapi-ratelimit-headers-10 (`q` quota, `w` window in seconds; `r` remaining, `t`
 * seconds until reset), and 429 (RFC 6585 section 4) with `Retry-After`.
 */
import type { RequestHandler, Response } from 'express';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import { type RateLimitStatus, WINDOW_SECONDS } from '../../core/limits/rate-limit.ts';

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
  showRateLimit(res, standing);
  const { reset, exceeded } = standing;
  if (!exceeded) return;
  res.setHeader('Retry-After', reset);
  throw new AppError('rate_limited', `${refusal} Retry in ${reset} s.`);
}

/** The headers have whole seconds. */
const SHOWN_MS = 1000;

/**
 * Sets the headers again if the response has waited for a second: they tell when and how often the
 * client may send its next request.
 */
export async function renewRateLimit(
  { rateLimits }: Pick<Context, 'rateLimits'>,
  res: Response,
  waitedMs: number,
): Promise<void> {
  if (waitedMs < SHOWN_MS) return;
  const standing = await rateLimits.readRequests(res.locals.caller.workspace);
  if (standing) showRateLimit(res, standing);
}

function showRateLimit(res: Response, { policy, limit, remaining, reset }: RateLimitStatus): void {
  res.setHeader('RateLimit-Policy', `"${policy}";q=${limit};w=${WINDOW_SECONDS}`);
  res.setHeader('RateLimit', `"${policy}";r=${remaining};t=${reset}`);
}
