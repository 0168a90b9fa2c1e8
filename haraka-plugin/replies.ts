/** All SMTP replies of Mayfly, with enhanced status codes (RFC 3463). */
import constants from 'haraka-constants';
import DSN from 'haraka-dsn';
import { addressFaults } from '../core/addresses.ts';

/** Arguments for Haraka's `next`. */
export interface Verdict {
  readonly code: number;
  readonly reply?: DSN | string;
}

/** The text that the client receives after the reply code. */
export const replyText = ({ reply }: Verdict): string =>
  typeof reply === 'string' ? reply : (reply?.reply ?? '');

/** Reason of a refusal by reply text, for metrics and log. */
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
/** No reply: Haraka continues with its next hook. */
export const continueHooks: Verdict = { code: constants.cont };

export const authOk = accept('2.7.0 Authentication successful');
export const authFailed = refuse('auth_failed', [535, 7, 8], 'User name or password incorrect');
export const authUnavailable = refuse(
  'auth_unavailable',
  [454, 7, 0],
  'Authentication temporarily unavailable, try again later',
);
export const authNeedsTls = refuse('auth_needs_tls', [538, 7, 11], 'Send STARTTLS before AUTH');
export const authRequired = refuse('auth_required', [530, 7, 0], 'Authentication required');
export const authRevoked = refuse(
  'auth_revoked',
  [550, 7, 1],
  'SMTP credential or mailbox deleted, or password replaced; log in with a valid credential',
);
export const authSyntax = refuse('syntax', [501, 5, 4], 'Syntax: AUTH PLAIN or AUTH LOGIN');
export const authMechanism = refuse('syntax', [504, 5, 4], 'Use AUTH PLAIN or AUTH LOGIN');
export const authBadResponse = refuse(
  'syntax',
  [501, 5, 2],
  'Response is not valid base64, or not valid for the mechanism',
);
export const authCanceled = refuse('auth_cancelled', [501, 7, 0], 'Authentication cancelled');
export const authLineTooLong = refuse('syntax', [500, 5, 6], 'Line longer than 12288 octets');
export const authInMail = refuse(
  'sequence',
  [503, 5, 1],
  'AUTH not allowed during a mail transaction',
);
export const authAlready = refuse('sequence', [503, 5, 1], 'Already authenticated');
export const authBeforeEhlo = refuse('sequence', [503, 5, 1], 'Send EHLO before AUTH');

export const helloFirst = refuse('sequence', [503, 5, 1], 'Send EHLO before MAIL');
export const mailFirst = refuse('sequence', [503, 5, 1], 'Send MAIL before RCPT');
export const notImplemented = refuse('syntax', [502, 5, 1], 'Command not implemented');

export const badRecipient = refuse('syntax', [501, 1, 3], 'Recipient address missing');
const syntaxReplies = (detail: number) =>
  ({
    form: refuse('syntax', [501, 1, detail], sentence(addressFaults.form)),
    unicode: refuse('not_utf8', [501, 1, detail], 'Address is not valid UTF-8'),
    control: refuse('syntax', [501, 1, detail], sentence(addressFaults.control)),
    localPart: refuse('syntax', [501, 1, detail], sentence(addressFaults.localPart)),
    trailingDot: refuse('syntax', [501, 1, detail], sentence(addressFaults.trailingDot)),
    domain: refuse('syntax', [501, 1, detail], sentence(addressFaults.domain)),
    tooLong: refuse('syntax', [501, 1, detail], sentence(addressFaults.tooLong)),
  }) satisfies Record<keyof typeof addressFaults, Verdict>;
/** Replies to a recipient that is not an address. */
export const recipientSyntax = syntaxReplies(3);
/** Replies to a sender that is not an address. */
export const senderSyntax = syntaxReplies(7);
/** RFC 5321 section 4.5.3.1.1 and 4.5.3.1.3. */
export const recipientTooLong = refuse(
  'syntax',
  [501, 1, 3],
  'Address of a mailbox too long: at most 64 octets before the "@" and 254 in total',
);
export const pathSyntax = refuse(
  'syntax',
  [501, 5, 4],
  'Syntax: MAIL FROM:<name@domain> or RCPT TO:<name@domain>',
);
export const unknownRecipient = refuse(
  'unknown_recipient',
  [550, 1, 1],
  'No such mailbox; to catch mail for any address, log in with an SMTP credential',
);
export const expiredRecipient = refuse('expired_recipient', [550, 1, 1], 'Mailbox expired');
export const relayDenied = refuse(
  'relay_denied',
  [550, 7, 1],
  'Relaying denied; to catch mail for any address, log in with an SMTP credential',
);
export const tooManyRecipients = refuse(
  'too_many_recipients',
  [452, 5, 3],
  'Too many recipients in one mail',
);
export const tooManyTags = refuse(
  'too_many_recipients',
  [452, 5, 3],
  'Too many tags of one mailbox in one mail',
);
export const tooBig = refuse(
  'too_big',
  [552, 3, 4],
  'Message size exceeds limit of 26214400 bytes',
);
export const mailLoop = refuse(
  'mail_loop',
  [554, 4, 6],
  'Too many Received fields, possible mail loop',
);
export const badSize = refuse('bad_parameter', [501, 5, 4], 'SIZE must be an integer');
export const badAuthParameter = refuse(
  'bad_parameter',
  [501, 5, 4],
  'AUTH must be an address in xtext, or <>',
);
export const repeatedParameter = refuse('bad_parameter', [501, 5, 4], 'Parameter given twice');
export const badParameter = refuse('bad_parameter', [555, 5, 4], 'Parameter not supported');

/** The text of Haraka. */
export const LINE_TOO_LONG = 'Command line too long';
export const badBytes = refuse('syntax', [500, 5, 2], 'Control or 8-bit characters in command');
export const nestedMail = refuse('sequence', [503, 5, 1], 'Nested MAIL command, send RSET first');
export const tlsAlready = refuse('sequence', [503, 5, 1], 'TLS already active');
/** RFC 6531 section 3.5. */
export const needsSmtpUtf8 = refuse(
  'needs_smtputf8',
  [553, 6, 7],
  'Non-ASCII address requires SMTPUTF8',
);
export const headerTooLarge = refuse(
  'header_too_large',
  [552, 3, 4],
  'Header exceeds limit of 1048576 bytes or 10000 lines',
);
/** RFC 3463 section 3.7 has no more specific code for the content of a mail. */
export const bareLineFeed = refuse(
  'bare_line_feed',
  [554, 6, 0],
  'Bare LF in message, lines must end in CRLF',
);

/** Transient errors, after which the client can retry (RFC 5321 section 4.2.1). */
export const tryLater = refuse(
  'unavailable',
  [451, 3, 0],
  'Backend temporarily unavailable, try again later',
);
export const overByteBudget = refuse(
  'no_room',
  [452, 3, 1],
  'Too much mail is being received, try again later',
);
export const queueFull = refuse('queue_full', [452, 3, 1], 'Mail queue is full, try again later');

export const tooMuchMail = refuse(
  'rate_limited',
  [450, 7, 1],
  'Rate limit for your address exceeded, try again later',
);

export const tooManyConnections = hangUp(
  'too_many_connections',
  [7, 0],
  'Too many connections from your address',
);
export const tooManyLogins = hangUp('auth_failed', [7, 0], 'Too many failed logins');
export const tooManyGuesses = hangUp(
  'too_many_unknown_recipients',
  [7, 0],
  'Too many unknown recipients from your address, try again later',
);
export const tooManyErrors = hangUp('too_many_errors', [7, 0], 'Too many errors');
export const tooSlow = hangUp('too_slow', [4, 2], 'Timeout or data rate too low');
export const notSmtp = hangUp('not_smtp', [7, 0], 'This is not an HTTP server');
export const closingDown = hangUp('closing_down', [3, 2], 'Service shutting down, try again later');

/** Reasons for replies of Haraka itself, where the text is more specific than the code. */
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

/** All values that {@link reasonFor} can return. */
export function allReasons(): Set<string> {
  return new Set([...reasons.values(), ...harakaReasons.values(), ...byCode.values(), OTHER]);
}

/** Returns the reason of a refusal. */
export function reasonFor(code: number, text: string): string {
  return reasons.get(text) ?? harakaReasons.get(text) ?? byCode.get(code) ?? OTHER;
}
