import { request } from './request.ts';
import type { Session } from './shapes.ts';

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
