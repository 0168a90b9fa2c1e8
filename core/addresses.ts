/**
 * Every rule about addresses, as pure functions (RFC 5321 section 4.1.2, RFC 6531 section 3.3). SMTP and the API read
 * addresses by the same grammar. Local parts and domains are compared without regard to case; a subaddress begins at the first `+`.
 */
import { isIPv4, isIPv6 } from 'node:net';
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

/** What is wrong with an address, as a person reads it after the address or after an SMTP reply code. */
export const addressFaults = {
  form: 'an address has the form name@domain',
  unicode: 'the address is not valid Unicode text',
  control: 'the address contains a control character',
  localPart:
    'the part before the "@" contains a space, a misplaced dot or one of ()<>[]:;@\\,": remove it, or put double quotes around that part',
  trailingDot: 'the domain ends in a dot: leave the dot out',
  domain: 'the part after the "@" is not a domain name',
} as const;

/** atext of RFC 5322 section 3.2.3, with the UTF-8 of RFC 6531 section 3.3. */
const ATOM = String.raw`[0-9A-Za-z!#$%&'*+\-/=?^_\x60{|}~\u{80}-\u{10FFFF}]+`;
/** RFC 5321 section 4.1.2 Dot-string. */
const DOT_STRING = new RegExp(String.raw`^${ATOM}(?:\.${ATOM})*$`, 'u');
/** RFC 5321 section 4.1.2 Quoted-string; control characters are excluded before. */
const QUOTED_STRING = /^"(?:[^"\\]|\\[\x20-\x7e])*"$/u;
const DOMAIN_CHARACTERS = /^[0-9A-Za-z.\-\u{80}-\u{10FFFF}]+$/u;
/** Length in UTF-16 units above which no domain name can be short enough. */
const MAX_DOMAIN_LENGTH = 255;
/** The local part is one quoted string or ends at the first `@`. */
const PARTS = /^("(?:[^"\\]|\\.)*"|[^@]*)@(.*)$/su;

/** Why the text is no address (RFC 5321 section 4.1.2 Mailbox), or null. Lengths are left to the protocol. */
export function addressFault(address: string): keyof typeof addressFaults | null {
  // U+FFFD stands for bytes that could not be decoded.
  if (!address.isWellFormed() || address.includes('\uFFFD')) return 'unicode';
  if (/\p{Cc}/u.test(address)) return 'control';
  const [, localPart, domain] = PARTS.exec(address) ?? [];
  if (!localPart || !domain) return 'form';
  if (!DOT_STRING.test(localPart) && !QUOTED_STRING.test(localPart)) return 'localPart';
  if (domain.startsWith('[')) return isAddressLiteral(domain) ? null : 'domain';
  if (domain.endsWith('.')) return 'trailingDot';
  const isName =
    domain.length <= MAX_DOMAIN_LENGTH &&
    DOMAIN_CHARACTERS.test(domain) &&
    isDomainName(domainToASCII(domain));
  return isName ? null : 'domain';
}

/** The recipient that an address stands for, or null when {@link addressFault} finds a fault. */
export function parseAddress(address: string): Recipient | null {
  if (addressFault(address) !== null) return null;
  const [, localPart = '', domain = ''] = PARTS.exec(address) ?? [];
  return recipientOf(localPart, domain);
}

/** The recipient a local part and domain stand for; quoting is undone, case is folded. */
export function recipientOf(localPart: string, domain: string): Recipient {
  const local = unquote(localPart);
  const plus = local.indexOf('+');
  const name = plus < 0 ? local : local.slice(0, plus);
  const tag = plus < 0 ? '' : cut(local.slice(plus + 1), MAX_TAG_LENGTH);
  return { name: name.toLowerCase(), domain: normaliseDomain(domain), tag: tag || null };
}

/** The address of a recipient, with its tag, in lower case; quoted where the grammar asks for it. */
export function recipientAddress({ name, tag, domain }: Recipient): string {
  const local = tag === null ? name : `${name}+${tag.toLowerCase()}`;
  return mailboxAddress(quoteWhereNeeded(local), domain);
}

/**
 * The form in which envelope addresses are compared: in lower case, quoting undone where the grammar allows, the domain
 * in ASCII. A subaddress stays, since a foreign address may mean anything by it.
 */
export function comparableAddress(address: string): string {
  const [, localPart, domain = ''] = PARTS.exec(address) ?? [];
  if (localPart === undefined) return address.toLowerCase();
  const local = unquote(localPart).toLowerCase();
  return mailboxAddress(quoteWhereNeeded(local), normaliseDomain(domain) || domain.toLowerCase());
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

function quoteWhereNeeded(local: string): string {
  return DOT_STRING.test(local) ? local : `"${local.replace(/["\\]/g, '\\$&')}"`;
}

/** RFC 5321 quoted-string: the quotes and backslashes carry no meaning of their own. */
function unquote(localPart: string): string {
  if (!/^".*"$/s.test(localPart)) return localPart;
  return localPart.slice(1, -1).replace(/\\(.)/gs, '$1');
}

/** The first `length` UTF-16 units, without half of a surrogate pair at the end. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

/** RFC 5321 section 4.1.3. */
function isAddressLiteral(domain: string): boolean {
  const [, literal = ''] = /^\[([\x21-\x5a\x5e-\x7e]+)\]$/.exec(domain) ?? [];
  if (/^ipv6:/i.test(literal)) return isIPv6(literal.slice('ipv6:'.length));
  return isIPv4(literal) || /^[0-9a-z](?:[0-9a-z-]*[0-9a-z])?:./i.test(literal);
}
