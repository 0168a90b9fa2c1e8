/**
 * Permissions by role: a `reader` reads, a `member` does everything except manage tokens, an
 * `admin` does everything. Only an admin creates tokens, so no one can create a role above their
 * own.
 */
import type { TokenRow } from '../../db/statements/tokens.js';
import { AppError } from '../errors.js';

export type Role = TokenRow['role'];

/** @throws {AppError} `forbidden` if the role does not allow changes. */
export function requireChanges(role: Role): void {
  if (role === 'reader') {
    throw new AppError('forbidden', 'This token has the role "reader", which may only read.');
  }
}

/** @throws {AppError} `forbidden` if the role cannot list, create or revoke tokens. */
export function requireTokenManagement(role: Role): void {
  if (role !== 'admin') {
    throw new AppError(
      'forbidden',
      `This token has the role "${role}"; managing tokens takes the role "admin".`,
    );
  }
}
