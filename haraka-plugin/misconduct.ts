/**
 * What a client does wrong on one connection, and what it gets for it: slow answers first, then 421. The
 * ideas and figures are Postfix's (smtpd_soft_error_limit, smtpd_hard_error_limit,
 * smtpd_junk_command_limit); as there, a mail that gets through wipes the slate. Unknown recipients are
 * no errors but counted in slow-down.ts: a list that names many of them is no attack.
 */
import constants from 'haraka-constants';
import type { Config } from '../core/config.js';
import { textOf, tooManyErrors } from './replies.js';

const { PAUSE_SMTP, DISCONNECTING } = constants.connection.state;

/** Syntax, sequence and parameters (RFC 5321 section 4.2.2). */
const ERROR_CODES = new Set([500, 501, 502, 503, 504, 555]);
const JUNK_COMMANDS = new Set(['NOOP', 'VRFY', 'EXPN', 'HELP', 'HELO', 'EHLO']);
const DELAY_MS = 1000;

type Limits = Pick<Config['smtp'], 'maxErrors' | 'maxJunkCommands'>;

/** Counted since the connection was opened, or since its last accepted mail. */
export interface Misconduct {
  errors: number;
  junkCommands: number;
  /** Whether the command being answered is one of those that lead to no mail. */
  isJunk: boolean;
}

export function noteCommand(connection: Haraka.Connection, verb: string): void {
  const misconduct = misconductOf(connection);
  const isJunk = JUNK_COMMANDS.has(verb);
  if (isJunk) misconduct.junkCommands += 1;
  misconduct.isJunk = isJunk;
}

export function forgive(connection: Haraka.Connection): void {
  delete connection.notes.misconduct;
  delete connection.notes.unknownRecipients;
}

/**
 * Closes a connection after `maxErrors`, the first half of them answered at once. Beyond `maxJunkCommands`, each
 * command that leads to no mail counts as an error.
 */
export function limitErrors(
  { connection }: Pick<Haraka.Modules, 'connection'>,
  { maxErrors, maxJunkCommands }: Limits,
): void {
  if (maxErrors === 0) return;
  const { prototype } = connection.Connection;
  const respond = prototype.respond;
  prototype.respond = function (code, text, then) {
    const misconduct = misconductOf(this);
    const isTooMuchJunk =
      maxJunkCommands > 0 && misconduct.isJunk && misconduct.junkCommands > maxJunkCommands;
    if (!isTooMuchJunk && !ERROR_CODES.has(codeOf(code, text))) {
      respond.call(this, code, text, then);
      return;
    }
    misconduct.errors += 1;
    if (misconduct.errors > maxErrors) {
      respond.call(this, 421, textOf(tooManyErrors), () => {
        this.disconnect();
      });
    } else if (misconduct.errors > maxErrors / 2) {
      this.state = PAUSE_SMTP; // what follows waits for this answer
      setTimeout(() => {
        if (this.state < DISCONNECTING) respond.call(this, code, text, then);
      }, DELAY_MS);
    } else {
      respond.call(this, code, text, then);
    }
  };
}

function misconductOf({ notes }: Haraka.Connection): Misconduct {
  notes.misconduct ??= { errors: 0, junkCommands: 0, isJunk: false };
  return notes.misconduct;
}

/** A DSN brings its own code. */
function codeOf(code: number, text: Parameters<Haraka.Connection['respond']>[1]): number {
  return typeof text === 'object' && 'code' in text ? text.code : code;
}
