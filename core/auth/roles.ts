/**
 * What the bearer of a token may do, by its role: a `reader` reads, a `member` does everything but manage
 * tokens, an `admin` does everything. Since only an admin creates tokens, and no role stands above it,
 * nobody creates a role above their own.
 */
import type { TokenRow } from '../../db/statements/tokens.js';
import { AppError } from '../errors.js';

export type Role = TokenRow['role'];

/** @throws {AppError} `forbidden` when the role allows no changes. */
export function requireChanges(role: Role): void {
  if (role === 'reader') {
    throw new AppError(
      'forbidden',
      'The role "reader" does not allow changes. Use a token with the role "member" or "admin".',
    );
  }
}

/** @throws {AppError} `forbidden` when the role may not list, create or revoke tokens. */
export function requireTokenManagement(role: Role): void {
  if (role !== 'admin') {
    throw new AppError(
      'forbidden',
      `The role "${role}" does not allow managing tokens. Use a token with the role "admin".`,
    );
  }
}
