import { request } from './request.js';
import type { CreatedToken, Role, Token } from './shapes.js';

export function listTokens(): Promise<Token[]> {
  return request('GET', '/api/tokens');
}

export function createToken(name: string, role: Role): Promise<CreatedToken> {
  return request('POST', '/api/tokens', { body: { name, role } });
}

export function revokeToken(id: string): Promise<void> {
  return request('DELETE', `/api/tokens/${encodeURIComponent(id)}`);
}
