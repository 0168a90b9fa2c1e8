/** Every answer we give in Haraka's place, with its enhanced status code (RFC 3463). */
import constants from 'haraka-constants';
import DSN from 'haraka-dsn';
import { addressFaults } from '../core/addresses.js';

/** What a hook hands to Haraka's `next`. */
export interface Verdict {
  readonly code: number;
  readonly reply?: DSN | string;
}

/** What the client will read of it, after the reply code. */
export const textOf = ({ reply }: Verdict): string =>
  typeof reply === 'string' ? reply : (reply?.reply ?? '');

/** Why the client was refused, by the text it was told: for those who count. */
const reasons = new Map<string, string>();

const refuse = (
  reason: string,
  [code, subject, detail]: [code: number, subject: number, detail: number],
  text: string,
): Verdict => {
  const reply = DSN.create(code, text, subject, detail);
  reasons.set(reply.reply, reason);
  return { code: code < 500 ? constants.denysoft : constants.deny, reply };
};
const hangUp = (reason: string, [subject, detail]: [number, number], text: string): Verdict => {
  const reply = DSN.create(421, text, subject, detail);
  reasons.set(reply.reply, reason);
  return { code: constants.denysoftdisconnect, reply };
};
const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const accept = (text: string): Verdict => ({ code: constants.ok, reply: text });

export const senderOk = accept('2.1.0 Sender OK');
export const recipientOk = accept('2.1.5 Recipient OK');
/** No answer yet: Haraka goes on to its next hook. */
export const goOn: Verdict = { code: constants.cont };

export const authOk = accept('2.7.0 Authentication successful');
export const authFailed = refuse(
  'auth_failed',
  [535, 7, 8],
  'The user name or the password is wrong',
);
export const authUnavailable = refuse(
  'auth_unavailable',
  [454, 7, 0],
  'Temporarily unable to check passwords, try again later',
);
export const authNeedsTls = refuse('auth_needs_tls', [538, 7, 11], 'Send STARTTLS before AUTH');
export const authRequired = refuse('auth_required', [530, 7, 0], 'Log in with AUTH first');
export const authRevoked = refuse(
  'auth_revoked',
  [550, 7, 1],
  'The SMTP credential or its mailbox was deleted, or its password replaced',
);
export const authSyntax = refuse('syntax', [501, 5, 4], 'Write AUTH PLAIN or AUTH LOGIN');
export const authMechanism = refuse('syntax', [504, 5, 4], 'AUTH knows PLAIN and LOGIN');
export const authBadResponse = refuse(
  'syntax',
  [501, 5, 2],
  'The response is not base64, or not what the mechanism asks for',
);
export const authCancelled = refuse('auth_cancelled', [501, 7, 0], 'Authentication cancelled');
export const authLineTooLong = refuse(
  'syntax',
  [500, 5, 6],
  'The line is longer than 12288 octets',
);
export const authInMail = refuse('sequence', [503, 5, 1], 'AUTH is not taken inside a mail');
export const authAlready = refuse('sequence', [503, 5, 1], 'The client is logged in already');
export const authBeforeEhlo = refuse('sequence', [503, 5, 1], 'Send EHLO before AUTH');

export const badRecipient = refuse('syntax', [501, 1, 3], 'A recipient is needed');
/** Of a recipient that is no address, by what is wrong with it. */
export const recipientSyntax = {
  form: refuse('syntax', [501, 1, 3], sentence(addressFaults.form)),
  unicode: refuse('not_utf8', [501, 1, 3], sentence(addressFaults.unicode)),
  control: refuse('syntax', [501, 1, 3], sentence(addressFaults.control)),
  localPart: refuse('syntax', [501, 1, 3], sentence(addressFaults.localPart)),
  trailingDot: refuse('syntax', [501, 1, 3], sentence(addressFaults.trailingDot)),
  domain: refuse('syntax', [501, 1, 3], sentence(addressFaults.domain)),
} satisfies Record<keyof typeof addressFaults, Verdict>;
/** RFC 5321 section 4.5.3.1.1 and 4.5.3.1.3. */
export const recipientTooLong = refuse(
  'syntax',
  [501, 1, 3],
  'The address is too long: 64 octets before the "@", 254 in all',
);
export const senderSyntax = refuse(
  'syntax',
  [501, 1, 7],
  'The sender is not a valid address: write MAIL FROM:<name@domain>',
);
export const pathSyntax = refuse(
  'syntax',
  [501, 5, 4],
  'Not understood: write MAIL FROM:<name@domain> or RCPT TO:<name@domain>',
);
export const unknownRecipient = refuse(
  'unknown_recipient',
  [550, 1, 1],
  'No such mailbox here; to catch mail to any address, log in with SMTP credentials',
);
export const relayDenied = refuse(
  'relay_denied',
  [550, 7, 1],
  'Relaying denied, not a domain of ours; to catch mail to any address, log in with SMTP credentials',
);
export const tooManyRecipients = refuse(
  'too_many_recipients',
  [452, 5, 3],
  'Too many recipients in one mail',
);
export const tooBig = refuse('too_big', [552, 3, 4], 'Mail is larger than 26214400 bytes');
export const mailLoop = refuse(
  'mail_loop',
  [554, 4, 6],
  'Too many Received fields, probably a mail loop',
);
export const badSize = refuse('bad_parameter', [501, 5, 4], 'SIZE must be a whole number');
export const badAuthParameter = refuse(
  'bad_parameter',
  [501, 5, 4],
  'AUTH must be an address in xtext, or <>',
);
export const badParameter = refuse('bad_parameter', [555, 5, 4], 'Parameter not recognised');

/** As Haraka says it. */
export const LINE_TOO_LONG = 'Command line too long';
export const badBytes = refuse('syntax', [500, 5, 2], 'Control or 8-bit characters in a command');
export const nestedMail = refuse(
  'sequence',
  [503, 5, 1],
  'A mail is under way already, send RSET first',
);
export const tlsAlready = refuse('sequence', [503, 5, 1], 'TLS is in use already');
/** RFC 6531 section 3.5. */
export const needsSmtpUtf8 = refuse(
  'needs_smtputf8',
  [553, 6, 7],
  'Addresses with other than ASCII need SMTPUTF8',
);
export const notUtf8Sender = refuse('not_utf8', [501, 1, 7], 'The address is not valid UTF-8');
export const notUtf8Recipient = refuse('not_utf8', [501, 1, 3], 'The address is not valid UTF-8');
export const headerTooLarge = refuse(
  'header_too_large',
  [552, 3, 4],
  'The header is larger than 1048576 bytes or 10000 lines',
);
/** For the content of a mail there is no better code (RFC 3463 section 3.7). */
export const bareLineFeed = refuse(
  'bare_line_feed',
  [554, 6, 0],
  'Bare line feed in the mail, lines must end in CRLF',
);

/** Not now, and the client may try again: RFC 5321 section 4.2.1, "transient negative". */
export const tryLater = refuse(
  'unavailable',
  [451, 3, 0],
  'Temporarily unable to take mail, try again later',
);
export const overByteBudget = refuse(
  'no_room',
  [452, 3, 1],
  'Too much mail is arriving, try again later',
);
export const queueFull = refuse(
  'queue_full',
  [452, 3, 1],
  'Too much mail is waiting, try again later',
);

export const tooMuchMail = refuse(
  'rate_limited',
  [450, 7, 1],
  'Too much mail from your address, try again later',
);

export const tooManyConnections = hangUp(
  'too_many_connections',
  [7, 0],
  'Too many connections from your address',
);
export const tooManyLogins = hangUp('auth_failed', [7, 0], 'Too many failed logins');
export const tooManyErrors = hangUp('too_many_errors', [7, 0], 'Too many errors');
export const tooSlow = hangUp('too_slow', [4, 2], 'Nothing is arriving, or too slowly');
export const notSmtp = hangUp('not_smtp', [7, 0], 'This is not an HTTP server');
export const closingDown = hangUp(
  'closing_down',
  [3, 2],
  'Service is closing down, try again later',
);

/** What Haraka says by itself, as far as it tells more than its code. */
const harakaReasons = new Map([
  ['No valid recipients', 'no_recipient'],
  ['RCPT required first', 'no_recipient'],
  ['timeout', 'too_slow'],
]);
const byCode = new Map([
  [500, 'syntax'],
  [501, 'syntax'],
  [502, 'syntax'],
  [503, 'sequence'],
  [504, 'syntax'],
  [521, 'syntax'],
  [555, 'bad_parameter'],
]);

const OTHER = 'other';

/** Every answer that {@link reasonFor} may give. */
export function allReasons(): Set<string> {
  return new Set([...reasons.values(), ...harakaReasons.values(), ...byCode.values(), OTHER]);
}

/** Why a client gets this refusal. */
export function reasonFor(code: number, text: string): string {
  return reasons.get(text) ?? harakaReasons.get(text) ?? byCode.get(code) ?? OTHER;
}
