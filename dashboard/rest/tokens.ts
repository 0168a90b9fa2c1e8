import { request } from './request.ts';
import type { CreatedToken, NewToken, Token } from './shapes.ts';

export function listTokens(): Promise<Token[]> {
  return request('GET', '/api/tokens');
}

export function createToken(body: NewToken): Promise<CreatedToken> {
  return request('POST', '/api/tokens', { body });
}

export function revokeToken(id: string): Promise<void> {
  return request('DELETE', `/api/tokens/${encodeURIComponent(id)}`);
}
