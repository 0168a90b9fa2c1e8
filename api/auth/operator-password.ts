/** HTTP basic authentication (RFC 7617) of the one who runs this Mayfly. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Context } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { applyStanding } from './rate-limit.js';

const USER = 'operator';
const CHALLENGE = 'Basic realm="Mayfly"';
const BASIC = /^Basic +(\S+)$/i;

/** Lets nobody by but the user `operator` with this password. */
export function requireOperator(
  { rateLimits }: Pick<Context, 'rateLimits'>,
  password: string,
): RequestHandler {
  const expected = digest(`${USER}:${password}`);
  return async (req, res, next) => {
    const given = BASIC.exec(req.headers.authorization ?? '')?.[1];
    if (given !== undefined && isSame(Buffer.from(given, 'base64'), expected)) {
      next();
      return;
    }
    if (given !== undefined) {
      // Counted together with invalid tokens, so that an address gets one allowance of wrong guesses.
      const standing = await rateLimits.countInvalidToken(req.ip ?? '');
      applyStanding(res, standing, 'Too many wrong credentials came from this address.');
    }
    res.setHeader('WWW-Authenticate', CHALLENGE);
    throw new AppError('unauthorized', `The password of the user ${USER} is required.`);
  };
}

/** Digests have one length, so the comparison takes as long whatever was given. */
function isSame(credentials: Buffer, expected: Buffer): boolean {
  return timingSafeEqual(digest(credentials), expected);
}

function digest(credentials: string | Buffer): Buffer {
  return createHash('sha256').update(credentials).digest();
}
