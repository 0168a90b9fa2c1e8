/**
 * Limits the errors of one connection: slow replies first, then 421. The limits are Postfix's
 * (smtpd_soft_error_limit, smtpd_hard_error_limit, smtpd_junk_command_limit); as there, an accepted
 * mail resets them. Unknown recipients are no errors and are counted in hooks/rcpt.ts: a list that
 * names many of them is no attack.
 */
import constants from 'haraka-constants';
import type { Config } from '../../core/config/config.js';
import { textOf, tooManyErrors } from '../replies.js';
import { replaceMethod } from './replace-method.js';

const { PAUSE_SMTP, DISCONNECTING } = constants.connection.state;

/** Syntax, sequence and parameters (RFC 5321 section 4.2.2). */
const ERROR_CODES = new Set([500, 501, 502, 503, 504, 555]);
const JUNK_COMMANDS = new Set(['NOOP', 'VRFY', 'EXPN', 'HELP', 'HELO', 'EHLO']);
const DELAY_MS = 1000;

type Limits = Pick<Config['smtp'], 'maxErrors' | 'maxJunkCommands'>;

/** Counted since the connection was opened, or since its last accepted mail. */
export interface ErrorCount {
  errors: number;
  junkCommands: number;
  /** Whether the command being answered is one of those that lead to no mail. */
  isJunk: boolean;
}

/** Counts a command that leads to no mail. */
export function countCommand(connection: Haraka.Connection, verb: string): void {
  const count = errorCountOf(connection);
  const isJunk = JUNK_COMMANDS.has(verb);
  if (isJunk) count.junkCommands += 1;
  count.isJunk = isJunk;
}

/** After an accepted mail. */
export function resetErrors(connection: Haraka.Connection): void {
  delete connection.notes.errorCount;
  delete connection.notes.unknownRecipients;
}

/**
 * Closes a connection after `maxErrors`, the first half of them answered at once. Beyond `maxJunkCommands`, each
 * command that leads to no mail counts as an error.
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
        this.state = PAUSE_SMTP; // what follows waits for this answer
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

/** A DSN brings its own code. */
function codeOf(code: number, text: Parameters<Haraka.Connection['respond']>[1]): number {
  return typeof text === 'object' && 'code' in text ? text.code : code;
}
