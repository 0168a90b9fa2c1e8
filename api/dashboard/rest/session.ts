import { request } from './request.js';
import type { Session } from './shapes.js';

export function getSession(): Promise<Session> {
  return request('GET', '/api/session');
}

/** Exchanges the token for a session cookie. The token is not stored. */
export function signInWith(token: string): Promise<Session> {
  return request('POST', '/api/session', { headers: { Authorization: `Bearer ${token}` } });
}

export function endSession(): Promise<void> {
  return request('DELETE', '/api/session');
}
