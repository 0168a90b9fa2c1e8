/**
 * Reads command lines before Haraka parses them. Haraka passes control bytes on to the Received
 * field, addresses and logs, requires its own AUTH plugins, and limits lines of AUTH to the length
 * of other commands.
 */
import constants from 'haraka-constants';
import { type AuthCommands, MAX_AUTH_LINE_OCTETS, authStateOf } from '../auth/exchange.ts';
import { countCommand } from './replies.ts';
import { replaceMethod } from './replace-method.ts';
import {
  LINE_TOO_LONG,
  badBytes,
  notImplemented,
  notSmtp,
  recipientSyntax,
  replyText,
  tlsAlready,
} from '../replies.ts';

const { CMD } = constants.connection.state;
const LF = 0x0a;
const CRLF_LENGTH = 2;
const SPACE = 0x20;
const DELETE = 0x7f;
const LONGEST_VERB = 12;
/**
 * RFC 5321 section 4.5.3.1.4, plus room for long addresses and parameters. Only lines of AUTH can
 * be longer.
 */
const MAX_LINE_LENGTH = 2048;

const AUTH = /^AUTH(?: +|$)/i;

/** An HTTP request from a browser or proxy. Nothing that follows is an SMTP command. */
const HTTP_METHODS = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'CONNECT',
]);

/** Known, and not implemented (RFC 5321 sections 3.5.2 and F.6). */
const NOT_IMPLEMENTED = new Set(['EXPN', 'SEND', 'SOML', 'SAML', 'TURN']);

/** RFC 6531 section 3.3 allows UTF-8 only in commands with addresses. */
const WITH_ADDRESS = new Set(['MAIL', 'RCPT', 'VRFY', 'EXPN']);

export function checkCommands(haraka: Haraka.Patchable<'connection'>): void {
  replaceMethod(haraka, 'connection', 'process_line', 1, (take) => {
    return function (line) {
      if (this.state !== CMD) {
        take.call(this, line);
        return;
      }
      const verb = verbOf(line);
      countCommand(this, verb);
      if (HTTP_METHODS.has(verb)) {
        this.respond(421, replyText(notSmtp), () => {
          this.disconnect();
        });
      } else if (line.length > MAX_LINE_LENGTH) {
        this.respond(521, LINE_TOO_LONG, () => {
          this.disconnect();
        });
      } else if (verb === 'STARTTLS' && this.tls.enabled) {
        this.respond(503, replyText(tlsAlready)); // Haraka would start a second handshake inside the first
      } else if (hasBadBytes(line, WITH_ADDRESS.has(verb))) {
        // Within a mail, a bad recipient gets 501 like any other address error.
        if (verb === 'RCPT' && this.transaction)
          this.respond(501, replyText(recipientSyntax.control));
        else this.respond(500, replyText(badBytes));
      } else if (NOT_IMPLEMENTED.has(verb)) {
        this.respond(502, replyText(notImplemented));
      } else {
        take.call(this, line);
      }
    };
  });
}

/** Passes lines of AUTH, and what belongs to its exchange, to `auth`. */
export function interceptAuthLines(
  haraka: Haraka.Patchable<'connection'>,
  auth: AuthCommands,
): void {
  replaceMethod(haraka, 'connection', 'process_line', 1, (take) => {
    return function (line) {
      const isExchange = this.notes.auth?.exchange;
      if (this.state !== CMD || !(isExchange || isAuth(line))) {
        take.call(this, line);
        return;
      }
      const text = line.toString('latin1').replace(/\r?\n$/, '');
      if (isExchange) {
        auth.processResponse(this, text);
      } else {
        countCommand(this, 'AUTH');
        auth.begin(this, text.replace(AUTH, ''));
      }
    };
  });

  replaceMethod(haraka, 'connection', '_process_data', 0, (lookAt) => {
    return function () {
      const data = this.current_data;
      if (data !== null && this.state === CMD) {
        const mayBeLong = data.length > MAX_LINE_LENGTH || this.notes.auth?.isDropping === true;
        if (mayBeLong && takesLongLine(this, data, auth)) return;
      }
      lookAt.call(this);
    };
  });
}

/** Handles an overlong line, or the rest of one. Returns false if the data starts with neither. */
function takesLongLine(connection: Haraka.Connection, data: Buffer, auth: AuthCommands): boolean {
  const { exchange, isDropping = false } = connection.notes.auth ?? {};
  const lf = data.indexOf(LF);
  if (!isDropping && !exchange && !isAuth(data)) {
    if (lf >= 0) return false; // checkCommands takes complete lines
    connection.current_data = null;
    connection.respond(521, LINE_TOO_LONG, () => {
      connection.disconnect();
    });
    return true;
  }
  const length = lf < 0 ? data.length : lf;
  if (!isDropping && length < MAX_AUTH_LINE_OCTETS + CRLF_LENGTH) return false;
  authStateOf(connection).isDropping = lf < 0;
  connection.current_data = lf < 0 ? null : data.subarray(lf + 1);
  if (lf >= 0) auth.refuseLongLine(connection);
  return true;
}

function isAuth(line: Buffer): boolean {
  // For other commands, the first letter is sufficient.
  return (
    (line[0] === 0x41 || line[0] === 0x61) && AUTH.test(line.toString('latin1', 0, 6).trimEnd())
  );
}

function verbOf(line: Buffer): string {
  let end = 0;
  while (end < LONGEST_VERB && (line[end] ?? 0) > SPACE) end += 1;
  return line.toString('latin1', 0, end).toUpperCase();
}

/** Control characters (NUL, a bare CR), and non-ASCII bytes where they are not allowed. */
function hasBadBytes(line: Buffer, mayBeUtf8: boolean): boolean {
  const end = line.length - (line.at(-2) === 0x0d ? 2 : 1);
  for (let at = 0; at < end; at += 1) {
    const byte = line[at] ?? 0;
    if (byte < SPACE || byte === DELETE || (byte > DELETE && !mayBeUtf8)) return true;
  }
  return false;
}
