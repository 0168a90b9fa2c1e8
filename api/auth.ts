import type { RequestHandler } from 'express';
import type { Context } from '../core/context.js';
import { AppError } from '../core/errors.js';
import { verifyToken } from '../core/tokens.js';
import { applyStanding } from './rate-limit.js';

const BEARER = /^Bearer +(\S+)$/i;

/** Bearer token to caller (RFC 6750 section 2.1), before anything else of the request is looked at. */
export function authenticate(context: Context): RequestHandler {
  return async (req, res, next) => {
    const value = BEARER.exec(req.headers.authorization ?? '')?.[1];
    if (value === undefined) {
      throw new AppError(
        'unauthorized',
        'A token is required: send the header "Authorization: Bearer YOUR_TOKEN".',
      );
    }
    const caller = await verifyToken(context, value);
    if (!caller) {
      // A valid token never gets here: whoever shares its address cannot lock it out.
      const standing = await context.rateLimits.countInvalidToken(req.ip ?? '');
      applyStanding(res, standing, 'Too many invalid tokens came from this address.');
      throw new AppError('unauthorized', 'The token is not valid.');
    }
    res.locals.caller = caller;
    context.tokenUse.note(caller.token);
    next();
  };
}
