import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import type { Caller } from '../../core/auth/caller.ts';
import { verifyToken } from '../../core/auth/tokens.ts';
import { applyRateLimit } from './rate-limit.ts';
import { callerOfSession, sessionIdOf } from './session-cookie.ts';

const BEARER = /^Bearer +(\S+)$/i;

/**
 * For operations that accept a token but no session: a session must not create another one that
 * outlives it.
 */
export const requireToken: RequestHandler = (_req, res, next) => {
  res.locals.takesSession = false;
  next();
};

/**
 * Authenticates the caller by a bearer token (RFC 6750 section 2.1) or by a browser session. With
 * an Authorization header, the session cookie is ignored.
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
  context: Pick<Context, 'now' | 'rateLimits' | 'store' | 'secrets'>,
  req: Request,
  res: Response,
): Promise<Caller> {
  const value = BEARER.exec(req.headers.authorization ?? '')?.[1];
  if (value === undefined) {
    throw new AppError(
      'unauthorized',
      'A token is required. Send the header "Authorization: Bearer YOUR_TOKEN".',
    );
  }
  const caller = await verifyToken(context, value);
  if (caller) return caller;
  // Only invalid tokens are counted, so other clients behind the same address cannot lock out a
  // valid token.
  const standing = await context.rateLimits.countInvalidToken(req.ip ?? '');
  applyRateLimit(res, standing, 'Too many invalid tokens from this address.');
  throw new AppError(
    'unauthorized',
    'The token is invalid. Check its value, or use another token.',
  );
}
