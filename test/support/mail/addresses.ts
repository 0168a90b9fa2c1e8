/**
 * Spellings of addresses of the mailbox `alice`, for each parser of addresses. `DOMAIN` stands for
 * a domain of the service.
 */
import type { addressFaults } from '../../../core/addresses.ts';

export interface Spelling {
  address: string;
  /** The tag of the address, or null; for an invalid address, the fault. */
  means: { tag: string | null } | { fault: keyof typeof addressFaults };
  /** The specification. */
  source: string;
}

const good = (address: string, tag: string | null, source: string): Spelling => ({
  address,
  means: { tag },
  source,
});
const bad = (address: string, fault: keyof typeof addressFaults, source: string): Spelling => ({
  address,
  means: { fault },
  source,
});

export const spellings: Spelling[] = [
  good('alice@DOMAIN', null, 'RFC 5321 section 4.1.2, Dot-string'),
  good('ALICE@DOMAIN', null, 'RFC 5321 section 2.4 allows what ours does: case is folded'),
  good('alice+a.b@DOMAIN', 'a.b', 'RFC 5321 section 4.1.2, Dot-string'),
  good("alice+!#$%&'*/=?^_`{|}~-@DOMAIN", "!#$%&'*/=?^_`{|}~-", 'RFC 5322 section 3.2.3, atext'),
  good('"alice"@DOMAIN', null, 'RFC 5321 section 4.1.2: quoted, it is the same mailbox'),
  good('"al\\ice"@DOMAIN', null, 'RFC 5321 section 4.1.2, quoted-pairSMTP'),
  good('"alice+two words"@DOMAIN', 'two words', 'RFC 5321 section 4.1.2, qtextSMTP'),
  good('"alice+a@b"@DOMAIN', 'a@b', 'RFC 5321 section 4.1.2, qtextSMTP'),
  good('"alice+\\"\\\\"@DOMAIN', '"\\', 'RFC 5321 section 4.1.2, quoted-pairSMTP'),
  good('alice+für@DOMAIN', 'für', 'RFC 6531 section 3.3, atext with UTF-8'),
  good('alice+\u200f\u202e@DOMAIN', '\u200f\u202e', 'RFC 6531 section 3.3: no control characters'),
  good('alice+\uffff@DOMAIN', '\uffff', 'RFC 3629 section 3: U+FFFF has a UTF-8 form'),
  good('alice+\u{1f98b}@DOMAIN', '\u{1f98b}', 'RFC 3629 section 3'),

  bad('alice', 'form', 'RFC 5321 section 4.1.2, Mailbox'),
  bad('@DOMAIN', 'form', 'RFC 5321 section 4.1.2, Mailbox'),
  bad('alice@', 'form', 'RFC 5321 section 4.1.2, Mailbox'),
  bad('.alice@DOMAIN', 'localPart', 'RFC 5321 section 4.1.2, Dot-string'),
  bad('alice+.@DOMAIN', 'localPart', 'RFC 5321 section 4.1.2, Dot-string'),
  bad('alice+a..b@DOMAIN', 'localPart', 'RFC 5321 section 4.1.2, Dot-string'),
  bad('alice+(a)@DOMAIN', 'localPart', 'RFC 5322 section 3.2.3, atext'),
  bad('"alice@DOMAIN', 'localPart', 'RFC 5321 section 4.1.2, Quoted-string'),
  bad('"alice"x@DOMAIN', 'localPart', 'RFC 5321 section 4.1.2, Quoted-string'),
  bad('alice@@DOMAIN', 'domain', 'RFC 5321 section 4.1.2, Domain'),
  bad('alice@DOMAIN@DOMAIN', 'domain', 'RFC 5321 section 4.1.2, Domain'),
  bad('alice@DOMAIN.', 'trailingDot', 'RFC 5321 section 4.1.2, Domain: no dot at its end'),
  bad('alice@.DOMAIN', 'domain', 'RFC 5321 section 4.1.2, sub-domain'),
  bad('alice@-DOMAIN', 'domain', 'RFC 5321 section 4.1.2, Let-dig'),
  bad('alice@a_b.DOMAIN', 'domain', 'RFC 5321 section 4.1.2, Ldh-str'),
  bad('alice@%41.DOMAIN', 'domain', 'RFC 5321 section 4.1.2, Ldh-str'),
  bad(`alice@${'x'.repeat(64)}.DOMAIN`, 'domain', 'RFC 1035 section 2.3.4'),
  bad('alice@[256.0.0.1]', 'domain', 'RFC 5321 section 4.1.3, IPv4-address-literal'),
  bad('alice@[IPv6:x]', 'domain', 'RFC 5321 section 4.1.3, IPv6-address-literal'),
  bad('alice+\u0000@DOMAIN', 'control', 'RFC 5321 section 4.1.2, atext'),
  bad('"alice+\u0000"@DOMAIN', 'control', 'RFC 5321 section 4.1.2, qtextSMTP'),
  bad('"alice+\u0007"@DOMAIN', 'control', 'RFC 5321 section 4.1.2, qtextSMTP'),
  bad('alice+\u007f@DOMAIN', 'control', 'RFC 5321 section 4.1.2, atext'),
  bad('alice+\u0085@DOMAIN', 'control', 'RFC 5198 section 2: no C1 controls'),
  bad('alice+\ufffd@DOMAIN', 'unicode', 'RFC 3629 section 3: what could not be decoded'),
];

/**
 * A lone surrogate is invalid in UTF-8 (RFC 3629 section 3), but possible in JSON (RFC 8259 section
 * 8.2).
 */
export const loneSurrogates: Spelling[] = ['\ud800', '\udfff', '\udc00\ud800'].map((text) =>
  bad(`alice+${text}@DOMAIN`, 'unicode', 'RFC 3629 section 3'),
);

/** The address at a domain of the service. */
export function spell({ address }: Spelling, domain: string): string {
  return address.replaceAll('DOMAIN', domain);
}
