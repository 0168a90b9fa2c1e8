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
export const unknownRecipient = refuse('unknown_recipient', [550, 1, 1], 'No such mailbox here');
export const relayDenied = refuse(
  'relay_denied',
  [550, 7, 1],
  'Relaying denied, not a domain of ours',
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
export const badParameter = refuse('bad_parameter', [555, 5, 4], 'Parameter not recognised');

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
