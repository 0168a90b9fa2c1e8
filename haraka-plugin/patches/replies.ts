/**
 * Limits the errors of a connection: first delayed replies, then 421. The limits correspond to
 * Postfix's smtpd_soft_error_limit, smtpd_hard_error_limit and smtpd_junk_command_limit, and an
 * accepted mail resets them. Unknown recipients are not counted as errors, because a mailing list
 * can contain many; hooks/rcpt.ts counts them.
 */
import constants from 'haraka-constants';
import type { Config } from '../../core/config/config.ts';
import { textOf, tooManyErrors } from '../replies.ts';
import { replaceMethod } from './replace-method.ts';

const { PAUSE_SMTP, DISCONNECTING } = constants.connection.state;

/** Reply codes for errors of syntax, sequence and parameters (RFC 5321 section 4.2.2). */
const ERROR_CODES = new Set([500, 501, 502, 503, 504, 555]);
const JUNK_COMMANDS = new Set(['NOOP', 'VRFY', 'EXPN', 'HELP', 'HELO', 'EHLO']);
const DELAY_MS = 1000;

type Limits = Pick<Config['smtp'], 'maxErrors' | 'maxJunkCommands'>;

/** Counted since the connect or the last accepted mail. */
export interface ErrorCount {
  errors: number;
  junkCommands: number;
  /** Whether the current command is a junk command. */
  isJunk: boolean;
}

/** Counts a junk command: one that does not contribute to a mail. */
export function countCommand(connection: Haraka.Connection, verb: string): void {
  const count = errorCountOf(connection);
  const isJunk = JUNK_COMMANDS.has(verb);
  if (isJunk) count.junkCommands += 1;
  count.isJunk = isJunk;
}

/** Called after an accepted mail. */
export function resetErrors(connection: Haraka.Connection): void {
  delete connection.notes.errorCount;
  delete connection.notes.unknownRecipients;
}

/**
 * Closes a connection after `maxErrors`; replies to the second half of them are delayed. Each junk
 * command beyond `maxJunkCommands` counts as an error.
 */
export function limitErrors(
  haraka: Haraka.Patchable<'connection'>,
  { maxErrors, maxJunkCommands }: Limits,
): void {
  if (maxErrors === 0) return;
  replaceMethod(haraka, 'connection', 'respond', 3, (respond) => {
    return function (code, text, then) {
      const count = errorCountOf(this);
      const isTooMuchJunk =
        maxJunkCommands > 0 && count.isJunk && count.junkCommands > maxJunkCommands;
      if (!isTooMuchJunk && !ERROR_CODES.has(codeOf(code, text))) {
        respond.call(this, code, text, then);
        return;
      }
      count.errors += 1;
      if (count.errors > maxErrors) {
        respond.call(this, 421, textOf(tooManyErrors), () => {
          this.disconnect();
        });
      } else if (count.errors > maxErrors / 2) {
        this.state = PAUSE_SMTP; // pipelined input waits for this reply
        setTimeout(() => {
          if (this.state < DISCONNECTING) respond.call(this, code, text, then);
        }, DELAY_MS);
      } else {
        respond.call(this, code, text, then);
      }
    };
  });
}

function errorCountOf({ notes }: Haraka.Connection): ErrorCount {
  notes.errorCount ??= { errors: 0, junkCommands: 0, isJunk: false };
  return notes.errorCount;
}

/** A DSN contains its own code. */
function codeOf(code: number, text: Parameters<Haraka.Connection['respond']>[1]): number {
  return typeof text === 'object' && 'code' in text ? text.code : code;
}
