import { request } from './request.js';
import type { Session } from './shapes.js';

export function getSession(): Promise<Session> {
  return request('GET', '/api/session');
}

/** The token is in this one request and kept nowhere. */
export function signInWith(token: string): Promise<Session> {
  return request('POST', '/api/session', { headers: { Authorization: `Bearer ${token}` } });
}

export function endSession(): Promise<void> {
  return request('DELETE', '/api/session');
}
