/** Who asks: authenticates the caller, authorizes the request, and checks the token again. */
import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import type { Caller } from '../../core/auth/caller.ts';
import { verifyToken } from '../../core/auth/tokens.ts';
import { applyRateLimit } from './rate-limit.ts';
import { callerOfSession, sessionIdOf } from './session-cookie.ts';
import { requireChanges, requireTokenManagement } from '../../core/auth/roles.ts';
import { requireLiveUnlessChanged } from '../../core/auth/transaction-as.ts';

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

/**
 * Authorizes the caller by role, before the body is read: restricts the role reader to GET, which
 * HEAD has become at this point. Signing in and out is not a change.
 */
export const authorizeMethod: RequestHandler = (req, res, next) => {
  if (req.method !== 'GET' && req.path !== '/session') requireChanges(res.locals.caller.token.role);
  next();
};

/** Applies to all paths of tokens. */
export const authorizeTokens: RequestHandler = (_req, res, next) => {
  requireTokenManagement(res.locals.caller.token);
  next();
};

/**
 * Checks the token again before every success response, so that a token revoked during the request
 * gets no data. This applies to reads too, because it costs one prepared statement. Error responses
 * are checked where errors are handled. A response that is not written at once, such as a stream,
 * calls {@link recheckToken} before its first byte.
 */
export function refuseRevoked(context: Pick<Context, 'now' | 'store'>): RequestHandler {
  return (_req, res, next) => {
    const end = res.end.bind(res);
    Object.assign(res, {
      end: (...rest: Parameters<typeof end>) => {
        if (res.headersSent || res.statusCode >= 400 || admitted.has(res)) return end(...rest);
        recheckToken(context, res).then(() => end(...rest), next);
        return res;
      },
    });
    next();
  };
}

/** Responses whose caller has a valid token. */
const admitted = new WeakSet<Response>();

/** @throws {AppError} `unauthorized` if the token of the request was revoked meanwhile. */
export async function recheckToken(
  context: Pick<Context, 'now' | 'store'>,
  res: Response,
): Promise<void> {
  try {
    await requireLiveUnlessChanged(context, res.locals.caller);
    admitted.add(res);
  } catch (error) {
    res.removeHeader('Set-Cookie'); // of a session that was just created
    throw error;
  }
}
