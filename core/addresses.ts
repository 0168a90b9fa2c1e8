/**
 * The grammar and rules of addresses (RFC 5321 section 4.1.2, RFC 6531 section 3.3), used by both
 * SMTP and the API. Local parts and domains are compared case-insensitively; a subaddress starts at
 * the first `+`.
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
  'Use 3 to 40 characters from a-z, 0-9, ".", "_" and "-", start and end with a letter or digit, and do not use ".."';

/** A parsed address: mailbox name, domain, and tag in the sender's spelling. */
export interface Recipient {
  name: string;
  domain: string;
  tag: string | null;
}

/** Returns what is wrong with a lower-case mailbox slug, or null. */
export function slugFault(slug: string): string | null {
  if (!SLUG.test(slug) || slug.includes('..')) {
    const hint = slug.includes('@') ? ' Give only the part before the "@".' : '';
    return `"${slug.slice(0, 64)}" is not a valid mailbox name. ${SLUG_RULES}.${hint}`;
  }
  return RESERVED.has(slug) ? `"${slug}" is a reserved mailbox name. Choose another name.` : null;
}

/**
 * The mailbox name that a client means, in lower case. It is given as it is, or as an address of
 * the workspace's domain with or without a tag. Other text is returned, and is no valid name.
 */
export function mailboxNameOf(text: string, domain: string): string {
  const address = text.includes('@') ? parseAddress(text) : null;
  return address?.domain === domain ? address.name : text.toLowerCase();
}

/** Texts for faulty addresses. They follow the address or an SMTP reply code. */
export const addressFaults = {
  tooLong: 'the address is too long: at most 255 octets before the "@" and 255 after it',
  form: 'an address has the form name@domain',
  unicode: 'the address is not valid Unicode text',
  control: 'the address contains a control character',
  localPart:
    'the part before the "@" contains a space, a misplaced dot or one of ()<>[]:;@\\,": remove it, or put double quotes around that part',
  trailingDot: 'the domain ends in a dot: leave the dot out',
  domain: 'the part after the "@" is not a domain name',
} as const;

/** Characters of atext (RFC 5322 section 3.2.3), with the UTF-8 of RFC 6531 section 3.3. */
const ATEXT = String.raw`0-9A-Za-z!#$%&'*+\-/=?^_\x60{|}~\u{80}-\u{10FFFF}`;
/** RFC 5321 section 4.1.2 Dot-string. */
const DOT_STRING = new RegExp(String.raw`^[${ATEXT}]+(?:\.[${ATEXT}]+)*$`, 'u');
/**
 * With dots anywhere, as in addresses of `docomo.ne.jp`. One class: a group that repeats what
 * repeats takes exponential time.
 */
const LENIENT_DOT_STRING = new RegExp(`^[.${ATEXT}]+$`, 'u');
/** RFC 5321 section 4.1.2 Quoted-string; control characters are excluded before. */
const QUOTED_STRING = /^"(?:[^"\\]|\\[\x20-\x7e])*"$/u;
const DOMAIN_CHARACTERS = /^[0-9A-Za-z.\-\u{80}-\u{10FFFF}]+$/u;
const LENIENT_DOMAIN_CHARACTERS = /^[0-9A-Za-z._\-\u{80}-\u{10FFFF}]+$/u;
/**
 * Longer texts (in UTF-16 units) cannot be a valid domain name. `domainToASCII` takes 4.7 s for a
 * name of 256,000 different characters.
 */
const MAX_DOMAIN_LENGTH = 255;
/** UTF-16 units. SMTP takes 255 octets before the `@`. Longer texts are not read. */
const MAX_ADDRESS_LENGTH = 511;
/** The local part is one quoted string or ends at the first `@`. */
const PARTS = /^("(?:[^"\\]|\\.)*"|[^@]*)@(.*)$/su;

type AddressFault = keyof typeof addressFaults;

/**
 * Returns the fault of an address (RFC 5321 section 4.1.2 Mailbox), or null. Lower limits of the
 * length are up to the protocol.
 */
export function addressFault(address: string): AddressFault | null {
  return textFault(address) ?? partsFault(address, DOT_STRING, isDomainName, DOMAIN_CHARACTERS);
}

/**
 * Returns the fault of a sender or of a recipient that is caught, or null. Beyond
 * {@link addressFault}, these have dots anywhere in the local part, underscores in the domain, or
 * no domain: applications use such addresses, and Postfix accepts them.
 */
export function foreignAddressFault(address: string): AddressFault | null {
  const fault = textFault(address);
  if (fault !== null) return fault;
  if (!address.includes('@')) return LENIENT_DOT_STRING.test(address) ? null : 'localPart';
  return partsFault(address, LENIENT_DOT_STRING, isHostName, LENIENT_DOMAIN_CHARACTERS);
}

function textFault(address: string): AddressFault | null {
  if (address.length > MAX_ADDRESS_LENGTH) return 'tooLong';
  // U+FFFD marks bytes that could not be decoded.
  if (!address.isWellFormed() || address.includes('\uFFFD')) return 'unicode';
  return /\p{Cc}/u.test(address) ? 'control' : null;
}

function partsFault(
  address: string,
  dotString: RegExp,
  isName: (domain: string) => boolean,
  characters: RegExp,
): AddressFault | null {
  const [, localPart, domain] = PARTS.exec(address) ?? [];
  if (!localPart || !domain) return 'form';
  if (!dotString.test(localPart) && !QUOTED_STRING.test(localPart)) return 'localPart';
  if (domain.startsWith('[')) return isAddressLiteral(domain) ? null : 'domain';
  if (domain.endsWith('.')) return 'trailingDot';
  return characters.test(domain) && isName(toAscii(domain)) ? null : 'domain';
}

/** Parses an address. Returns null if {@link addressFault} finds a fault. */
export function parseAddress(address: string): Recipient | null {
  return addressFault(address) === null ? readAddress(address) : null;
}

/** The recipient of an address without a fault; its domain is empty if the address has none. */
export function readAddress(address: string): Recipient {
  const [, localPart = address, domain = ''] = PARTS.exec(address) ?? [];
  return recipientOf(localPart, domain);
}

/** Octets before the `@`. */
export function localPartOctets(address: string): number {
  return Buffer.byteLength(PARTS.exec(address)?.[1] ?? address);
}

/** The recipient for a local part and a domain, unquoted and in lower case. */
export function recipientOf(localPart: string, domain: string): Recipient {
  const local = unquote(localPart);
  const plus = local.indexOf('+');
  const name = plus < 0 ? local : local.slice(0, plus);
  const tag = plus < 0 ? '' : cut(local.slice(plus + 1), MAX_TAG_LENGTH);
  return { name: name.toLowerCase(), domain: normalizeDomain(domain), tag: tag || null };
}

/** The address of a recipient, including its tag, in lower case and quoted where needed. */
export function recipientAddress({ name, tag, domain }: Recipient): string {
  const local = tag === null ? name : `${name}+${tag.toLowerCase()}`;
  return mailboxAddress(quoteUnless(DOT_STRING, local), domain);
}

/**
 * The form in which envelope addresses are compared: in lower case, unquoted where {@link
 * foreignAddressFault} allows it, the domain in ASCII. A tag is kept, because its meaning at other
 * domains is unknown. A text that is too long for an address is only in lower case.
 */
export function comparableAddress(address: string): string {
  if (address.length > MAX_ADDRESS_LENGTH) return address.toLowerCase();
  const [, localPart, domain = ''] = PARTS.exec(address) ?? [];
  if (localPart === undefined) return address.toLowerCase();
  const local = unquote(localPart).toLowerCase();
  const quoted = quoteUnless(LENIENT_DOT_STRING, local);
  return mailboxAddress(quoted, normalizeDomain(domain) || domain.toLowerCase());
}

/** `name@domain`, the form used in the recipient directory and the API. */
export function mailboxAddress(name: string, domain: string): string {
  return `${name}@${domain}`;
}

/**
 * The domain as lower-case ASCII (punycode) without a trailing dot; empty if it has no such form.
 */
export function normalizeDomain(domain: string): string {
  return toAscii(domain.trim().replace(/\.$/, ''));
}

/** In punycode; empty if it has no such form. */
function toAscii(domain: string): string {
  return domain.length > MAX_DOMAIN_LENGTH ? '' : domainToASCII(domain);
}

/** Whether a normalized domain satisfies the length and character rules of RFC 1035. */
export function isDomainName(domain: string): boolean {
  return (
    domain.length <= 253 &&
    domain.split('.').every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  );
}

/** Host names of containers and Windows have underscores. */
function isHostName(domain: string): boolean {
  return isDomainName(domain.replaceAll('_', 'x'));
}

/** The local part, quoted (RFC 5321 section 4.1.2) if it does not match. */
function quoteUnless(dotString: RegExp, local: string): string {
  return dotString.test(local) ? local : `"${local.replace(/["\\]/g, '\\$&')}"`;
}

/** RFC 5321 quoted-string: quotes and backslashes are not part of the content. */
function unquote(localPart: string): string {
  if (!/^".*"$/s.test(localPart)) return localPart;
  return localPart.slice(1, -1).replace(/\\(.)/gs, '$1');
}

/** The first `length` UTF-16 units, without splitting a surrogate pair. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

/** RFC 5321 section 4.1.3. */
function isAddressLiteral(domain: string): boolean {
  const [, literal = ''] = /^\[([\x21-\x5a\x5e-\x7e]+)\]$/.exec(domain) ?? [];
  if (/^ipv6:/i.test(literal)) return isIPv6(literal.slice('ipv6:'.length));
  return isIPv4(literal) || /^[0-9a-z](?:[0-9a-z-]*[0-9a-z])?:./i.test(literal);
}
