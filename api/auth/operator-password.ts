/** HTTP basic authentication (RFC 7617) of the operator. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import { applyRateLimit } from './rate-limit.ts';

const USER = 'operator';
const CHALLENGE = 'Basic realm="Mayfly"';
const BASIC = /^Basic +(\S+)$/i;

/** Requires the user `operator` and this password. */
export function requireOperator(
  { rateLimits }: Pick<Context, 'rateLimits'>,
  password: string,
): RequestHandler {
  const expected = digest(`${USER}:${password}`);
  return async (req, res, next) => {
    const given = BASIC.exec(req.headers.authorization ?? '')?.[1];
    if (given !== undefined) {
      const address = req.ip ?? '';
      const standing = await rateLimits.countSignIn(address);
      applyRateLimit(res, standing, 'Too many failed sign-ins from this address.');
      if (isSame(Buffer.from(given, 'base64'), expected)) {
        await rateLimits.refundSignIn(address);
        next();
        return;
      }
    }
    res.setHeader('WWW-Authenticate', CHALLENGE);
    throw new AppError('unauthorized', `Sign in as the user "${USER}" with the operator password.`);
  };
}

/** Compares digests of equal length, so the time does not depend on the input. */
function isSame(credentials: Buffer, expected: Buffer): boolean {
  return timingSafeEqual(digest(credentials), expected);
}

function digest(credentials: string | Buffer): Buffer {
  return createHash('sha256').update(credentials).digest();
}
