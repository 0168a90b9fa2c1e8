/**
 * Permissions by role: a `reader` reads, a `member` does everything except manage tokens, an
 * `admin` does everything. A token that is limited to mailboxes manages no tokens. Only an admin
 * creates tokens, so no one can create a role above their own.
 */
import type { TokenRow } from '../../db/statements/tokens.ts';
import { AppError } from '../errors.ts';

export type Role = TokenRow['role'];

/** @throws {AppError} `forbidden` if the role does not allow changes. */
export function requireChanges(role: Role): void {
  if (role === 'reader') {
    throw new AppError(
      'forbidden',
      'The role "reader" does not allow changes. Use a token with the role "member" or "admin".',
    );
  }
}

/** @throws {AppError} `forbidden` if the token cannot list, create or revoke tokens. */
export function requireTokenManagement({ role, mailboxes }: TokenRow): void {
  if (mailboxes !== null) {
    throw new AppError(
      'forbidden',
      'A token that is limited to certain mailboxes cannot manage tokens. Use another token.',
    );
  }
  if (role !== 'admin') {
    throw new AppError(
      'forbidden',
      `The role "${role}" does not allow managing tokens. Use a token with the role "admin".`,
    );
  }
}
