/** SMTP credentials of a mailbox, which catches the mail that clients send with them. */
import { liveMailboxIds, type MailboxRow } from '../../db/statements/mailboxes.ts';
import {
  type CredentialRow,
  countCredentials,
  insertCredential,
  removeCredential,
  selectCredentials,
  updatePassword,
} from '../../db/statements/smtp-credentials.ts';
import { type Db, type Transaction, query } from '../../db/store.ts';
import { mailboxAddress } from '../addresses.ts';
import type { Caller } from '../auth/caller.ts';
import { transactionAs } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { mailboxNotFound, requireMailbox } from '../mailboxes/mailboxes.ts';
import { requireRecipientDirectory } from '../directory/recipients.ts';
import { credentialEntry } from '../directory/sources.ts';
import { newPassword, newUsername } from './passwords.ts';

export type { CredentialRow };

/** A credential with its password, of which the row has only a hash. */
export interface CredentialWithPassword {
  credential: CredentialRow;
  password: string;
}

const PER_MAILBOX = 20;

/**
 * Creates a credential, with which a client can log in as soon as this resolves.
 * @throws {AppError} `not_found` for the mailbox, `credential_limit`, `unauthorized`,
 *   `unavailable`.
 */
export async function createCredential(
  context: Context,
  caller: Caller,
  mailboxName: string,
  name: string,
): Promise<CredentialWithPassword> {
  const mailbox = await requireMailbox(context, caller, mailboxName);
  await requireRecipientDirectory(context);
  const made = await insert(context, caller, mailbox, name);
  try {
    await publish(context, caller, mailbox, made.credential);
  } catch (error) {
    // The client does not receive its password.
    await transactionAs(context, caller, (tx) =>
      query(removeCredential(tx, mailbox.id, made.credential.id)),
    );
    throw error;
  }
  return made;
}

/** The credentials of a mailbox, newest first. @throws {AppError} `not_found` for the mailbox. */
export async function listCredentials(
  context: Context,
  caller: Caller,
  mailboxName: string,
): Promise<CredentialRow[]> {
  const mailbox = await requireMailbox(context, caller, mailboxName);
  return context.store.query(selectCredentials, mailbox.id);
}

/**
 * Replaces the password of a credential. The previous one is refused at the next login and at the
 * next mail of an open session.
 * @throws {AppError} `not_found`, `unauthorized`, `unavailable`.
 */
export async function rotatePassword(
  context: Context,
  caller: Caller,
  mailboxName: string,
  id: string,
): Promise<CredentialWithPassword> {
  const mailbox = await requireMailbox(context, caller, mailboxName);
  await requireRecipientDirectory(context);
  const { password, passwordHash } = newPassword();
  const passwordSetAt = new Date(context.now());
  const [credential] = await transactionAs(context, caller, (tx) =>
    query(updatePassword(tx, mailbox.id, id, { passwordHash, passwordSetAt })),
  );
  if (!credential) return missing(id);
  await publish(context, caller, mailbox, credential);
  return { credential, password };
}

/** @throws {AppError} `not_found`, `unauthorized`, `unavailable`. */
export async function deleteCredential(
  context: Context,
  caller: Caller,
  mailboxName: string,
  id: string,
): Promise<void> {
  const mailbox = await requireMailbox(context, caller, mailboxName);
  await requireRecipientDirectory(context);
  const [removed] = await transactionAs(context, caller, (tx) =>
    query(removeCredential(tx, mailbox.id, id)),
  );
  if (!removed) return missing(id);
  await orUnavailable(context.credentials.remove(removed));
}

async function insert(
  context: Context,
  caller: Caller,
  mailbox: MailboxRow,
  name: string,
): Promise<CredentialWithPassword> {
  const { password, passwordHash } = newPassword();
  const now = new Date(context.now());
  const username = newUsername(mailbox.name);
  const row = newCredential(mailbox, { name, username, passwordHash }, now);
  const credential = await transactionAs(context, caller, function* (tx) {
    yield* requireLive(tx, mailbox, now);
    const [there] = yield* query(countCredentials(tx, mailbox.id));
    requireBelowLimit(there?.count ?? 0);
    const [inserted] = yield* query(insertCredential(tx, row));
    return inserted;
  });
  // The user name was taken.
  return credential ? { credential, password } : insert(context, caller, mailbox, name);
}

export function newCredential(
  { id: mailboxId }: Pick<MailboxRow, 'id'>,
  given: Pick<CredentialRow, 'name' | 'username' | 'passwordHash'>,
  now: Date,
): CredentialRow {
  const id = newId('smtpCredential', now.getTime());
  return { id, mailboxId, ...given, passwordSetAt: now, lastUsedAt: null, createdAt: now };
}

/** @throws {AppError} `not_found` if the mailbox was deleted or has expired meanwhile. */
export function* requireLive(
  tx: Db,
  { id, name }: Pick<MailboxRow, 'id' | 'name'>,
  now: Date,
): Transaction<void> {
  const live = yield* query(liveMailboxIds(tx, [id], now));
  if (live.length === 0) throw mailboxNotFound(name);
}

function requireBelowLimit(count: number): void {
  if (count < PER_MAILBOX) return;
  throw new AppError(
    'credential_limit',
    `SMTP credential limit reached (${PER_MAILBOX} per mailbox). Delete a credential first.`,
    { details: { limit: PER_MAILBOX } },
  );
}

/**
 * Lets clients log in with the credential.
 * @throws {AppError} `unavailable`. The comparison with the database then completes the change
 *   within a minute.
 */
export async function publish(
  context: Context,
  { workspace }: Caller,
  mailbox: MailboxRow,
  credential: CredentialRow,
): Promise<void> {
  const address = mailboxAddress(mailbox.name, workspace.domain);
  await orUnavailable(context.credentials.set(credentialEntry(credential, address)));
}

async function orUnavailable(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (cause) {
    throw new AppError(
      'unavailable',
      'The directory of SMTP credentials is temporarily unavailable. Retry in a few seconds.',
      {
        cause,
      },
    );
  }
}

function missing(id: string): never {
  throw new AppError('not_found', `No such SMTP credential: "${id.slice(0, 64)}".`);
}
