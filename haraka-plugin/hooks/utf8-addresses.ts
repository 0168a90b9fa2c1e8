import { type Verdict, needsSmtpUtf8 } from '../replies.js';

/** What the decoder leaves where bytes were no UTF-8, in Latin-1 for one. */
const UNDECODABLE = '\u{FFFD}';
const NON_ASCII = /[^\x20-\x7e]/;

/** Why an address outside of ASCII cannot be taken, or null (RFC 6531 section 3.4 and 3.5). */
export function utf8Fault(
  { address }: Pick<Haraka.Address, 'address'>,
  allowsUtf8: boolean,
  undecodable: Verdict,
): Verdict | null {
  if (!NON_ASCII.test(address)) return null;
  if (address.includes(UNDECODABLE)) return undecodable;
  return allowsUtf8 ? null : needsSmtpUtf8;
}
