/** The sleep of a waiting request, and the checks that its caller may still have the answer. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { requireLiveToken } from '../auth/transaction-as.ts';
import type { Caller } from '../auth/caller.ts';
import type { Context } from '../context.ts';
import { findMailbox, throwMailboxNotFound } from '../mailboxes/mailboxes.ts';

type Reading = Pick<Context, 'now' | 'store'>;

/** A waiting request, whose token and mailbox can expire or be changed meanwhile. */
interface Waiting {
  caller: Caller;
  /** Null for all mailboxes of the caller. */
  mailbox: Pick<MailboxRow, 'id' | 'name' | 'expiresAt'> | null;
}

/** The longest delay of a timer of Node.js. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * A sleep that can be ended early, by a wake-up or by a failure. Neither is lost between two
 * sleeps.
 */
export interface Sleep {
  /** Ends the current sleep, or the next one. */
  wake: () => void;
  /** Rejects the current sleep and all later ones. */
  fail: (error: Error) => void;
  /**
   * Resolves after a wake-up, or at the time (of `performance.now`).
   * @throws the error of {@link fail}
   */
  until: (at: number, options?: { evenIfWoken: boolean }) => Promise<void>;
  /** @throws the error of {@link fail} */
  check: () => void;
  close: () => void;
}

/** @param gone fails the sleep when it is aborted */
export function openSleep(gone: AbortSignal): Sleep {
  let isWoken = false;
  let failure: Error | null = null;
  let end: (() => void) | null = null;

  const fail = (error: Error) => {
    failure ??= error;
    end?.();
  };
  const onGone = () => {
    fail(new Error('the client has gone'));
  };
  gone.addEventListener('abort', onGone);
  const check = () => {
    if (gone.aborted) onGone();
    if (failure) throw failure;
  };

  return {
    wake() {
      isWoken = true;
      end?.();
    },
    fail,
    check,
    async until(at, { evenIfWoken }: { evenIfWoken?: boolean } = {}) {
      check();
      const delay = at - performance.now();
      if (delay > 0 && (evenIfWoken === true || !isWoken)) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, delay);
          end = () => {
            if (evenIfWoken === true && !failure) return;
            clearTimeout(timer);
            resolve();
          };
        });
        end = null;
      }
      check();
      if (evenIfWoken !== true) isWoken = false;
    },
    close() {
      gone.removeEventListener('abort', onGone);
    },
  };
}

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
  if (!mailbox) return;
  const row = await findMailbox(context, caller, mailbox.name);
  if (row?.id !== mailbox.id) throwMailboxNotFound(mailbox.name);
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
  const timers = [caller.token.expiresAt, mailbox?.expiresAt ?? null].map((time) =>
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
