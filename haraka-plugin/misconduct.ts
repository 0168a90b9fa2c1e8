/**
 * What a client does wrong on one connection, and what it gets for it: slow answers first, then 421. The
 * ideas and figures are Postfix's (smtpd_soft_error_limit, smtpd_hard_error_limit,
 * smtpd_junk_command_limit); as there, a mail that gets through wipes the slate. Unknown recipients are
 * not counted here but in slow-down.ts: a list that names many of them is no attack.
 */
import constants from 'haraka-constants';
import { textOf, tooManyErrors } from './replies.js';

const { PAUSE_SMTP, DISCONNECTING } = constants.connection.state;

/** Syntax, sequence and parameters (RFC 5321 section 4.2.2). */
const ERROR_CODES = new Set([500, 501, 502, 503, 504, 555]);
const JUNK_COMMANDS = new Set(['NOOP', 'RSET', 'VRFY', 'EXPN', 'HELP', 'HELO', 'EHLO']);
const JUNK_ALLOWED = 100;
const DELAY_MS = 1000;

/** Counted since the connection was opened, or since its last accepted mail. */
export interface Misconduct {
  errors: number;
  junkCommands: number;
  /** Whether the command being answered is one too many of those that lead to no mail. */
  isJunk: boolean;
}

export function noteCommand(connection: Haraka.Connection, verb: string): void {
  const misconduct = misconductOf(connection);
  const isJunk = JUNK_COMMANDS.has(verb);
  if (isJunk) misconduct.junkCommands += 1;
  misconduct.isJunk = isJunk && misconduct.junkCommands > JUNK_ALLOWED;
}

export function forgive(connection: Haraka.Connection): void {
  delete connection.notes.misconduct;
}

/** @param allowed errors before the connection is closed, the first half answered at once; 0 for any number. */
export function limitErrors(
  { connection }: Pick<Haraka.Modules, 'connection'>,
  allowed: number,
): void {
  if (allowed === 0) return;
  const { prototype } = connection.Connection;
  const respond = prototype.respond;
  prototype.respond = function (code, text, then) {
    const misconduct = misconductOf(this);
    if (!misconduct.isJunk && !ERROR_CODES.has(codeOf(code, text))) {
      respond.call(this, code, text, then);
      return;
    }
    misconduct.errors += 1;
    if (misconduct.errors > allowed) {
      respond.call(this, 421, textOf(tooManyErrors), () => {
        this.disconnect();
      });
    } else if (misconduct.errors > allowed / 2) {
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
