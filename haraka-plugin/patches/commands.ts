/**
 * Command lines that are refused before Haraka takes them apart. It lets bytes through that end up in
 * the Received field, in addresses and in logs, and it begins a second mail where RFC 5321 wants an error.
 */
import constants from 'haraka-constants';
import { countCommand } from './error-limit.js';
import { replaceMethod } from './replace-method.js';
import {
  LINE_TOO_LONG,
  badBytes,
  nestedMail,
  notSmtp,
  recipientSyntax,
  textOf,
  tlsAlready,
} from '../replies.js';

const { CMD } = constants.connection.state;
const SPACE = 0x20;
const DELETE = 0x7f;
const LONGEST_VERB = 12;
/** RFC 5321 section 4.5.3.1.4, plus room for long addresses and parameters. AUTH alone may be longer. */
export const MAX_LINE_LENGTH = 2048;

/** A browser or proxy that was made to talk to us: nothing it sends after this is meant as a command. */
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

/** RFC 6531 section 3.3 allows UTF-8 where addresses are, and nowhere else. */
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
        this.respond(421, textOf(notSmtp), () => {
          this.disconnect();
        });
      } else if (line.length > MAX_LINE_LENGTH) {
        this.respond(521, LINE_TOO_LONG, () => {
          this.disconnect();
        });
      } else if (verb === 'STARTTLS' && this.tls.enabled) {
        this.respond(503, textOf(tlsAlready)); // Haraka would begin another handshake inside this one
      } else if (hasBadBytes(line, WITH_ADDRESS.has(verb))) {
        // A recipient of a mail under way is refused like one with any other fault in its address.
        if (verb === 'RCPT' && this.transaction) this.respond(501, textOf(recipientSyntax.control));
        else this.respond(500, textOf(badBytes));
      } else {
        take.call(this, line);
      }
    };
  });

  // RFC 5321 section 4.1.4: MAIL must not be sent while a mail is under way. The first one goes on.
  replaceMethod(haraka, 'connection', 'cmd_mail', 1, (beginMail) => {
    return function (rest) {
      if (this.transaction) this.respond(503, textOf(nestedMail));
      else beginMail.call(this, rest);
    };
  });
}

function verbOf(line: Buffer): string {
  let end = 0;
  while (end < LONGEST_VERB && (line[end] ?? 0) > SPACE) end += 1;
  return line.toString('latin1', 0, end).toUpperCase();
}

/** Control characters (NUL, a bare CR), and other than ASCII where that has no meaning. */
function hasBadBytes(line: Buffer, mayBeUtf8: boolean): boolean {
  const end = line.length - (line.at(-2) === 0x0d ? 2 : 1);
  for (let at = 0; at < end; at += 1) {
    const byte = line[at] ?? 0;
    if (byte < SPACE || byte === DELETE || (byte > DELETE && !mayBeUtf8)) return true;
  }
  return false;
}
