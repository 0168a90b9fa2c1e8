/** The credential of BOOTSTRAP_SMTP_PASSWORD, whose user name and password are known beforehand. */
import {
  credentialsByUsername,
  insertCredential,
  updatePassword,
} from '../../db/statements/smtp-credentials.ts';
import { query } from '../../db/store.ts';
import type { Caller } from '../auth/caller.ts';
import { transactionAs } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { requireRecipientDirectory } from '../directory/recipients.ts';
import { AppError } from '../errors.ts';
import { requireMailbox } from '../mailboxes/mailboxes.ts';
import { hashPassword } from './passwords.ts';
import { newCredential, publish, requireLive } from './smtp-credentials.ts';

/**
 * Creates a credential whose user name is the name of the mailbox, or sets its password. Changes
 * nothing if it has this password. A client can log in with it as soon as this resolves.
 * @throws {AppError} `not_found` for the mailbox, `name_taken` if the user name belongs to another
 *   mailbox, `unauthorized`, `unavailable`.
 */
export async function ensureCredential(
  context: Context,
  caller: Caller,
  mailboxName: string,
  password: string,
): Promise<void> {
  const mailbox = await requireMailbox(context, caller, mailboxName);
  await requireRecipientDirectory(context);
  const passwordHash = hashPassword(password);
  const now = new Date(context.now());
  const given = { name: 'first application', username: mailbox.name, passwordHash };
  const row = newCredential(mailbox, given, now);
  const credential = await transactionAs(context, caller, function* (tx) {
    yield* requireLive(tx, mailbox, now);
    const [there] = yield* query(credentialsByUsername(tx, [mailbox.name]));
    if (there?.credential.mailboxId === mailbox.id) {
      const { id } = there.credential;
      if (there.credential.passwordHash === passwordHash) return there.credential;
      const changed = { passwordHash, passwordSetAt: now };
      return (yield* query(updatePassword(tx, mailbox.id, id, changed)))[0];
    }
    return (yield* query(insertCredential(tx, row)))[0];
  });
  if (!credential) {
    throw new AppError(
      'name_taken',
      `The SMTP user name "${mailbox.name}" belongs to another mailbox. Set BOOTSTRAP_MAILBOX to another name.`,
    );
  }
  await publish(context, caller, mailbox, credential);
}
