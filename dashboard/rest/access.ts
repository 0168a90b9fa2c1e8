import { request } from './request.ts';
import type { CreatedToken, NewToken, Session, Token } from './shapes.ts';

export function getSession(): Promise<Session> {
  return request('GET', '/api/session');
}

/** The session that the token would get. Ignores the session of the browser. */
export function readSessionOf(token: string): Promise<Session> {
  return request('GET', '/api/session', { headers: { Authorization: `Bearer ${token}` } });
}

/** Exchanges the token for a session cookie. The token is not stored. */
export function signInWith(token: string): Promise<Session> {
  return request('POST', '/api/session', { headers: { Authorization: `Bearer ${token}` } });
}

export function endSession(): Promise<void> {
  return request('DELETE', '/api/session');
}

export function listTokens(): Promise<Token[]> {
  return request('GET', '/api/tokens');
}

export function createToken(body: NewToken): Promise<CreatedToken> {
  return request('POST', '/api/tokens', { body });
}

export function revokeToken(id: string): Promise<void> {
  return request('DELETE', `/api/tokens/${encodeURIComponent(id)}`);
}
