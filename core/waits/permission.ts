/**
 * What a waiting request needs besides its beginning: its token and its mailbox can expire or be
 * changed meanwhile.
 */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { requireLiveToken } from '../auth/transaction-as.ts';
import type { Caller } from '../auth/caller.ts';
import type { Context } from '../context.ts';
import { lookUpMailbox, noSuchMailbox } from '../mailboxes/mailboxes.ts';

type Reading = Pick<Context, 'now' | 'store'>;

interface Waiting {
  caller: Caller;
  mailbox: Pick<MailboxRow, 'id' | 'name' | 'expiresAt'>;
}

/** The longest delay of a timer of Node.js. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Checks both again right before a response.
 * @throws {AppError} `unauthorized` if the token is no longer valid, `not_found` if the mailbox no
 *   longer exists for it.
 */
export async function requirePermission(
  context: Reading,
  { caller, mailbox }: Waiting,
): Promise<void> {
  await requireLiveToken(context, caller);
  const row = await lookUpMailbox(context, caller, mailbox.name);
  if (row?.id !== mailbox.id) noSuchMailbox(mailbox.name);
}

/**
 * Checks both when the token and when the mailbox expires, unless the expiry was changed meanwhile.
 * @param fail gets the error of {@link requirePermission}
 * @returns ends this
 */
export function failAtExpiry(
  context: Reading,
  waiting: Waiting,
  fail: (error: Error) => void,
): () => void {
  const check = () => {
    requirePermission(context, waiting).catch(fail);
  };
  const { caller, mailbox } = waiting;
  const timers = [caller.token.expiresAt, mailbox.expiresAt].map((time) =>
    atTime(context, time, check),
  );
  return () => {
    timers.forEach(clearTimeout);
  };
}

/** Calls `act` at this time, unless it is too far away for a timer. */
export function atTime(
  { now }: Pick<Context, 'now'>,
  time: Date | null,
  act: () => void,
): NodeJS.Timeout | undefined {
  const delay = time === null ? Infinity : time.getTime() - now();
  return delay > MAX_DELAY_MS ? undefined : setTimeout(act, delay);
}
