import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import type { Caller } from '../../core/auth/caller.js';
import { verifyToken } from '../../core/auth/tokens.js';
import { applyStanding } from './rate-limit.js';
import { callerOfSession, sessionIdOf } from './session-cookie.js';

const BEARER = /^Bearer +(\S+)$/i;

/** Stands before what takes a token and no session: a session must not begin another one that outlives it. */
export const requireToken: RequestHandler = (_req, res, next) => {
  res.locals.takesSession = false;
  next();
};

/**
 * Who asks, before anything else of the request is looked at: the bearer of a token (RFC 6750 section 2.1), or
 * a browser by its session. Where there is an Authorization header, the session does not count.
 */
export function authenticate(context: Context): RequestHandler {
  return async (req, res, next) => {
    const { authorization } = req.headers;
    const takesSession = authorization === undefined && res.locals.takesSession !== false;
    const sessionId = takesSession ? sessionIdOf(req) : undefined;
    const caller =
      sessionId === undefined
        ? await callerOfToken(context, req, res)
        : await callerOfSession(context, req, sessionId);
    res.locals.caller = caller;
    if (sessionId !== undefined) res.locals.sessionId = sessionId;
    context.auth.tokenUse.record(caller.token);
    next();
  };
}

async function callerOfToken(
  context: Pick<Context, 'rateLimits' | 'store' | 'secrets'>,
  req: Request,
  res: Response,
): Promise<Caller> {
  const value = BEARER.exec(req.headers.authorization ?? '')?.[1];
  if (value === undefined) {
    throw new AppError(
      'unauthorized',
      'A token is required: send the header "Authorization: Bearer YOUR_TOKEN".',
    );
  }
  const caller = await verifyToken(context, value);
  if (caller) return caller;
  // A valid token never gets here: whoever shares its address cannot lock it out.
  const standing = await context.rateLimits.countInvalidToken(req.ip ?? '');
  applyStanding(res, standing, 'Too many invalid tokens came from this address.');
  throw new AppError('unauthorized', 'The token is not valid.');
}
