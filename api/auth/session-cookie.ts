/**
 * The browser session cookie. Scripts cannot read it and other sites cannot use it. Because
 * browsers send it automatically, a change also requires a CSRF token.
 */
import type { CookieOptions, Request, Response } from 'express';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import { isCsrfToken } from '../../core/auth/browser-sessions.ts';
import type { Caller } from '../../core/auth/caller.ts';
import { tokenRevoked } from '../../core/auth/transaction-as.ts';
import { bearerOf } from '../../core/auth/tokens.ts';

const NAME = 'mayfly_session';
const INVALID_CSRF_TOKEN =
  'Missing or invalid CSRF token. Send the csrfToken of the session in the X-CSRF-Token header.';
const COOKIE = new RegExp(`(?:^|;) *${NAME}=([^;]*)`);

/** The session id of the request, or undefined. */
export function sessionIdOf(req: Request): string | undefined {
  return COOKIE.exec(req.headers.cookie ?? '')?.[1];
}

/**
 * The caller of a session.
 * @throws {AppError} `unauthorized` if the session has ended or its token is revoked, `forbidden`
 *   for a change without a CSRF token.
 */
export async function callerOfSession(
  context: Pick<Context, 'now' | 'store' | 'auth'>,
  req: Request,
  sessionId: string,
): Promise<Caller> {
  const tokenId = await context.auth.sessions.find(sessionId);
  if (tokenId === null)
    throw new AppError('unauthorized', 'The session has expired. Sign in again.');
  const caller = await bearerOf(context, tokenId);
  if (!caller) throw tokenRevoked();
  // HEAD has become GET at this point.
  if (req.method !== 'GET' && !isCsrfToken(sessionId, String(req.headers['x-csrf-token']))) {
    throw new AppError('forbidden', INVALID_CSRF_TOKEN);
  }
  return caller;
}

export function setSessionCookie(
  { config }: Pick<Context, 'config'>,
  res: Response,
  sessionId: string,
): void {
  res.cookie(NAME, sessionId, options(config.http.publicUrl));
}

export function clearSessionCookie({ config }: Pick<Context, 'config'>, res: Response): void {
  res.clearCookie(NAME, options(config.http.publicUrl));
}

function options(publicUrl: string): CookieOptions {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure: publicUrl.startsWith('https:') };
}
