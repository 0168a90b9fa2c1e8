/**
 * Checks the parameters of MAIL and RCPT, which Haraka does not, and addresses that need SMTPUTF8.
 * Parameters that the server does not support get 555 (RFC 5321 section 4.1.1.11), so that a client
 * does not assume they are in effect.
 */
import { MAX_MAIL_BYTES } from '../raw-sink.ts';
import {
  type Verdict,
  badAuthParameter,
  badParameter,
  badSize,
  needsSmtpUtf8,
  tooBig,
} from '../replies.ts';

/** RFC 1870 section 4: `size-value ::= 1*20DIGIT`. */
const SIZE = /^\d{1,20}$/;
/** RFC 6152 section 2. */
const BODY = /^(?:7BIT|8BITMIME)$/i;

/** RFC 4954 section 5: the submitter as xtext (RFC 3461 section 4), or `<>`. */
const AUTH = /^(?:<>|(?:[!-*,-<>-~]|\+[0-9A-F]{2})+)$/;

/** Returns the reply to invalid parameters of MAIL, or null. The submitter of AUTH is not used. */
export function mailParametersFault(
  parameters: Haraka.EsmtpParameters,
  offersAuth: boolean,
): Verdict | null {
  for (const [name, value] of Object.entries(parameters)) {
    if (name === 'SIZE') {
      if (!SIZE.test(value ?? '')) return badSize;
      if (Number(value) > MAX_MAIL_BYTES) return tooBig;
    } else if (name === 'BODY') {
      if (!BODY.test(value ?? '')) return badParameter;
    } else if (name === 'AUTH' && offersAuth) {
      if (!AUTH.test(value ?? '')) return badAuthParameter;
    } else if (name !== 'SMTPUTF8' || value !== null) {
      return badParameter;
    }
  }
  return null;
}

/** Returns the reply to any parameter of RCPT, or null: none is supported. */
export function recipientParametersFault(parameters: Haraka.EsmtpParameters): Verdict | null {
  return Object.keys(parameters).length > 0 ? badParameter : null;
}

/** The decoder replaces invalid UTF-8, such as Latin-1, with this character. */
const UNDECODABLE = '\u{FFFD}';
const NON_ASCII = /[^\x20-\x7e]/;

/**
 * Returns the reply to a non-ASCII address that cannot be accepted, or null (RFC 6531 sections 3.4
 * and 3.5).
 */
export function utf8Fault(
  { address }: Pick<Haraka.Address, 'address'>,
  allowsUtf8: boolean,
  undecodable: Verdict,
): Verdict | null {
  if (!NON_ASCII.test(address)) return null;
  if (address.includes(UNDECODABLE)) return undecodable;
  return allowsUtf8 ? null : needsSmtpUtf8;
}
