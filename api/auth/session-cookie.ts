/**
 * The session of a browser as HTTP carries it: a cookie that no script can read and no other site's page can use.
 * Browsers send it by themselves, so what changes something must prove besides that a page of ours asked.
 */
import type { CookieOptions, Request, Response } from 'express';
import type { Context } from '../../core/context.js';
import { AppError } from '../../core/errors.js';
import { isCsrfToken } from '../../core/auth/browser-sessions.js';
import type { Caller } from '../../core/auth/caller.js';
import { bearerOf } from '../../core/auth/tokens.js';

const NAME = 'mayfly_session';
const COOKIE = new RegExp(`(?:^|;) *${NAME}=([^;]*)`);

/** The id of the session that the request carries, or undefined. */
export function sessionIdOf(req: Request): string | undefined {
  return COOKIE.exec(req.headers.cookie ?? '')?.[1];
}

/**
 * Whom the session stands for.
 * @throws {AppError} `unauthorized` when it is over or its token revoked, `forbidden` for a change without its proof.
 */
export async function callerOfSession(
  context: Pick<Context, 'store' | 'auth'>,
  req: Request,
  sessionId: string,
): Promise<Caller> {
  const tokenId = await context.auth.sessions.find(sessionId);
  if (tokenId === null) throw new AppError('unauthorized', 'The session is over. Sign in again.');
  const caller = await bearerOf(context, tokenId);
  if (!caller) throw new AppError('unauthorized', 'The token was revoked.');
  // HEAD has become GET by now.
  if (req.method !== 'GET' && !isCsrfToken(sessionId, String(req.headers['x-csrf-token']))) {
    throw new AppError('forbidden', 'A change by session needs its proof in X-CSRF-Token.');
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
