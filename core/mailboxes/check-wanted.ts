import { slugFault } from '../addresses.ts';
import type { Caller } from '../auth/caller.ts';
import { mayCreate } from '../auth/reach.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { allowsCustomNames } from '../workspaces/workspaces.ts';
import { type NewMailbox, columnsOf } from './properties.ts';

/**
 * Checks what does not depend on other mailboxes.
 * @throws {AppError} `custom_name_requires_pro`, `forbidden` for a narrow token without one of the
 *   labels, `invalid_name`, `invalid_labels`, `unprocessable`.
 */
export function checkWanted(
  { config, now }: Pick<Context, 'config' | 'now'>,
  { workspace, token }: Caller,
  wanted: NewMailbox,
): void {
  if (!mayCreate(token.mailboxes, wanted.labels ?? {})) {
    throw new AppError(
      'forbidden',
      'This token can create only mailboxes with one of its labels. Add one of them, or use another token.',
    );
  }
  columnsOf(config, wanted, new Date(now()));
  if (wanted.name === undefined) return;
  if (!allowsCustomNames(workspace.plan)) {
    throw new AppError(
      'custom_name_requires_pro',
      'Custom mailbox names require the Pro plan. Leave "name" out to get a generated name.',
    );
  }
  const fault = slugFault(wanted.name.toLowerCase());
  if (fault) throw new AppError('invalid_name', fault);
}
