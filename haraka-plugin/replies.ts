/** Every answer we give in Haraka's place, with its enhanced status code (RFC 3463). */
import constants from 'haraka-constants';
import DSN from 'haraka-dsn';

/** What a hook hands to Haraka's `next`. */
export interface Verdict {
  readonly code: number;
  readonly reply?: DSN | string;
}

/** What the client will read of it, after the reply code. */
export const textOf = ({ reply }: Verdict): string =>
  typeof reply === 'string' ? reply : (reply?.reply ?? '');

const refuse = (code: number, subject: number, detail: number, text: string): Verdict => ({
  code: code < 500 ? constants.denysoft : constants.deny,
  reply: DSN.create(code, text, subject, detail),
});
const hangUp = (subject: number, detail: number, text: string): Verdict => ({
  code: constants.denysoftdisconnect,
  reply: DSN.create(421, text, subject, detail),
});
const accept = (text: string): Verdict => ({ code: constants.ok, reply: text });

export const senderOk = accept('2.1.0 Sender OK');
export const recipientOk = accept('2.1.5 Recipient OK');
/** No answer yet: Haraka goes on to its next hook. */
export const goOn: Verdict = { code: constants.cont };

export const badRecipient = refuse(501, 1, 3, 'A recipient is needed');
export const unknownRecipient = refuse(550, 1, 1, 'No such mailbox here');
export const relayDenied = refuse(550, 7, 1, 'Relaying denied, not a domain of ours');
export const tooManyRecipients = refuse(452, 5, 3, 'Too many recipients in one mail');
export const tooBig = refuse(552, 3, 4, 'Mail is larger than 26214400 bytes');
export const mailLoop = refuse(554, 4, 6, 'Too many Received fields, probably a mail loop');
export const badSize = refuse(501, 5, 4, 'SIZE must be a whole number');
export const badParameter = refuse(555, 5, 4, 'Parameter not recognised');

export const badBytes = refuse(500, 5, 2, 'Control or 8-bit characters in a command');
export const nestedMail = refuse(503, 5, 1, 'A mail is under way already, send RSET first');
export const tlsAlready = refuse(503, 5, 1, 'TLS is in use already');
/** RFC 6531 section 3.5. */
export const needsSmtpUtf8 = refuse(553, 6, 7, 'Addresses with other than ASCII need SMTPUTF8');
export const notUtf8Sender = refuse(501, 1, 7, 'The address is not valid UTF-8');
export const notUtf8Recipient = refuse(501, 1, 3, 'The address is not valid UTF-8');
export const headerTooLarge = refuse(
  552,
  3,
  4,
  'The header is larger than 1048576 bytes or 10000 lines',
);

/** Not now, and the client may try again: RFC 5321 section 4.2.1, "transient negative". */
export const tryLater = refuse(451, 3, 0, 'Temporarily unable to take mail, try again later');
export const noRoom = refuse(452, 3, 1, 'Too much mail is arriving, try again later');
export const queueFull = refuse(452, 3, 1, 'Too much mail is waiting, try again later');

export const tooMuchMail = refuse(450, 7, 1, 'Too much mail from your address, try again later');

export const tooManyConnections = hangUp(7, 0, 'Too many connections from your address');
export const tooManyErrors = hangUp(7, 0, 'Too many errors');
export const tooSlow = hangUp(4, 2, 'Nothing is arriving, or too slowly');
export const notSmtp = hangUp(7, 0, 'This is not an HTTP server');
export const closingDown = hangUp(3, 2, 'Service is closing down, try again later');
