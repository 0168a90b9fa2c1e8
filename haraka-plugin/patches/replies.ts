/**
 * Patches of the replies, in the order in which they see one: errors are limited, refusals counted,
 * and the replies to pipelined commands written together.
 */
import constants from 'haraka-constants';
import type { Config } from '../../core/config/config.ts';
import type { Metrics } from '../../core/metrics/metrics.ts';
import { envelopeOf } from '../envelope.ts';
import { replyText, tooManyErrors, allReasons, reasonFor } from '../replies.ts';
import { hasCommand } from './input.ts';
import { replaceMethod } from './replace-method.ts';

const { PAUSE_SMTP, DISCONNECTING } = constants.connection.state;

/** Reply codes for errors of syntax, sequence and parameters (RFC 5321 section 4.2.2). */
const ERROR_CODES = new Set([500, 501, 502, 503, 504, 555]);
const JUNK_COMMANDS = new Set(['NOOP', 'VRFY', 'EXPN', 'HELP', 'HELO', 'EHLO']);
const DELAY_MS = 1000;
const FIRST_REFUSAL = 400;
/** The replies that are held: 250 and refusals, but not 354 (send the mail) and 421 (the end). */
const OK = 250;
const FIRST_HELD_REFUSAL = 450;
/** Far below the limit of unread replies (input.ts). */
const MAX_HELD_BYTES = 4096;
const MAX_HELD_MS = 10;

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
 * Closes a connection after `maxErrors` with 421; replies to the second half of them are delayed.
 * Each junk command beyond `maxJunkCommands` counts as an error. The limits correspond to Postfix's
 * smtpd_soft_error_limit, smtpd_hard_error_limit and smtpd_junk_command_limit, and an accepted mail
 * resets them. Unknown recipients are not counted as errors, because a mailing list can contain
 * many; hooks/rcpt.ts counts them.
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
        respond.call(this, 421, replyText(tooManyErrors), () => {
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

/**
 * Counts every 4xx and 5xx reply of Mayfly and Haraka by reason, and records the last one in the
 * envelope.
 */
export function countRefusals(
  haraka: Haraka.Patchable<'connection'>,
  { refusals }: Pick<Metrics['smtp'], 'refusals'>,
): void {
  // A counter that first appears with the value 1 shows no increase, so all start at 0.
  for (const reason of allReasons()) refusals.inc({ reason }, 0);
  replaceMethod(haraka, 'connection', 'respond', 3, (respond) => {
    return function (code, text, then) {
      const isDsn = typeof text === 'object' && 'code' in text;
      const given = isDsn ? text.code : code;
      if (given >= FIRST_REFUSAL) {
        const told = isDsn ? text.reply : Array.isArray(text) ? (text[0] ?? '') : text;
        const reason = reasonFor(given, told);
        refusals.inc({ reason });
        const mail = envelopeOf(this);
        if (mail) mail.refusal = { code: given, reason };
      }
      respond.call(this, code, text, then);
    };
  });
}

/**
 * Writes the replies to pipelined commands together (RFC 2920 section 3.2). Haraka writes each
 * reply alone, although a write to a socket takes more CPU time than the command. A reply is held
 * while another complete command waits, for 10 ms at most: the reply to that command can be
 * delayed, or be written by other code. A reply after which the client must act, or the connection
 * ends, is written at once.
 */
export function groupReplies(haraka: Haraka.Patchable<'connection'>): void {
  replaceMethod(haraka, 'connection', 'respond', 3, (respond) => {
    return function (code, text, then) {
      const { targetsocket: socket } = this.client;
      const release = () => {
        clearTimeout(this.notes.heldReplies);
        delete this.notes.heldReplies;
        socket?.uncork();
      };
      if (socket && !this.notes.heldReplies && hasCommand(this)) {
        socket.cork();
        this.notes.heldReplies = setTimeout(release, MAX_HELD_MS);
      }
      respond.call(this, code, text, then);
      if (!socket || !this.notes.heldReplies) return;
      const given = typeof text === 'object' && 'code' in text ? text.code : code;
      const isLast = !hasCommand(this) || (given !== OK && given < FIRST_HELD_REFUSAL);
      if (isLast || socket.writableLength > MAX_HELD_BYTES) release();
    };
  });
}
