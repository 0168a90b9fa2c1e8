import { type Verdict, needsSmtpUtf8 } from '../replies.ts';

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
