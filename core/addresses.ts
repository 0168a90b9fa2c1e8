/**
 * Every rule about addresses, as pure functions (RFC 5321 section 4.1.2, RFC 5322 section 3.4.1).
 * Local parts and domains are compared without regard to case; a subaddress begins at the first `+`.
 */
import { domainToASCII } from 'node:url';

const MAX_TAG_LENGTH = 64;
const SLUG = /^[a-z0-9](?:[a-z0-9._-]{1,38}[a-z0-9])$/;
const RESERVED = new Set([
  'postmaster',
  'abuse',
  'hostmaster',
  'webmaster',
  'mailer-daemon',
  'security',
  'admin',
  'root',
]);

const SLUG_RULES =
  'a mailbox name has 3 to 40 characters out of a-z, 0-9, ".", "_" and "-", begins and ends with a letter or digit, and has no ".."';

/** An address taken apart: the mailbox name it is for, its domain, and its tag as the sender wrote it. */
export interface Recipient {
  name: string;
  domain: string;
  tag: string | null;
}

/** What is wrong with a (lower-cased) mailbox slug, as a sentence, or null when it is fine. */
export function slugFault(slug: string): string | null {
  if (!SLUG.test(slug) || slug.includes('..')) {
    return `"${slug.slice(0, 64)}" is not a valid mailbox name: ${SLUG_RULES}.`;
  }
  return RESERVED.has(slug) ? `"${slug}" is a reserved mailbox name.` : null;
}

/** The recipient an SMTP local part and domain stand for; quoting is undone, case is folded. */
export function recipientOf(localPart: string, domain: string): Recipient {
  const local = unquote(localPart);
  const plus = local.indexOf('+');
  const name = plus < 0 ? local : local.slice(0, plus);
  const tag = plus < 0 ? '' : local.slice(plus + 1, plus + 1 + MAX_TAG_LENGTH);
  return { name: name.toLowerCase(), domain: normaliseDomain(domain), tag: tag || null };
}

/**
 * The recipient that an address in a request stands for, or null when it is not one bare address of dot
 * atoms (RFC 5322 section 3.4.1; our mailbox names never need quoting).
 */
export function parseAddress(address: string): Recipient | null {
  const match = /^([^\s@"<>(),:;[\]\\]+)@([^\s@"<>(),:;%[\]\\]+)$/.exec(address.trim());
  return match?.[1] && match[2] ? recipientOf(match[1], match[2]) : null;
}

/** `name@domain`, the form in which the recipient directory and the API show a mailbox. */
export function mailboxAddress(name: string, domain: string): string {
  return `${name}@${domain}`;
}

/** Lower-cased ASCII (punycode) form without a trailing dot; the empty string when there is none. */
export function normaliseDomain(domain: string): string {
  return domainToASCII(domain.trim().replace(/\.$/, ''));
}

/** Whether a normalised domain keeps RFC 1035's lengths and letters. */
export function isDomainName(domain: string): boolean {
  return (
    domain.length <= 253 &&
    domain.split('.').every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  );
}

/** RFC 5321 quoted-string: the quotes and backslashes carry no meaning of their own. */
function unquote(localPart: string): string {
  if (!/^".*"$/s.test(localPart)) return localPart;
  return localPart.slice(1, -1).replace(/\\(.)/gs, '$1');
}
