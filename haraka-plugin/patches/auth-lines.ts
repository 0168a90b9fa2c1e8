/**
 * Reads lines of AUTH before Haraka, which requires its own AUTH plugins and limits these lines to
 * the length of other commands.
 */
import constants from 'haraka-constants';
import { type AuthCommands, MAX_AUTH_LINE_OCTETS, authStateOf } from '../auth/exchange.ts';
import { LINE_TOO_LONG } from '../replies.ts';
import { MAX_LINE_LENGTH } from './commands.ts';
import { countCommand } from './replies.ts';
import { replaceMethod } from './replace-method.ts';

const { CMD } = constants.connection.state;
const LF = 0x0a;
const CRLF_LENGTH = 2;
const AUTH = /^AUTH(?: +|$)/i;

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
    if (lf >= 0) return false; // commands.ts checks complete lines
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
