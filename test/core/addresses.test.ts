import { expect } from 'chai';
import {
  addressFault,
  comparableAddress,
  foreignAddressFault,
  isDomainName,
  normalizeDomain,
  parseAddress,
  recipientAddress,
  recipientOf,
  slugFault,
} from '../../core/addresses.ts';
import { cpuOf } from '../hostile/measure.ts';
import { loneSurrogates, spell, spellings } from '../support/mail/addresses.ts';

const HAN = String.fromCodePoint(...Array.from({ length: 15_000 }, (_, n) => 0x4e00 + n));

describe('addresses', () => {
  const recipients: [string, string, { name: string; domain: string; tag: string | null }][] = [
    ['bob', 'a.test', { name: 'bob', domain: 'a.test', tag: null }],
    ['Bob', 'A.Test', { name: 'bob', domain: 'a.test', tag: null }],
    ['bob+Sign-Up', 'a.test', { name: 'bob', domain: 'a.test', tag: 'Sign-Up' }],
    ['bob+a+b', 'a.test', { name: 'bob', domain: 'a.test', tag: 'a+b' }],
    ['bob+', 'a.test', { name: 'bob', domain: 'a.test', tag: null }],
    ['+tag', 'a.test', { name: '', domain: 'a.test', tag: 'tag' }],
    // RFC 5321 section 4.1.2: quoting does not change the meaning of a local part
    ['"bob+t"', 'a.test', { name: 'bob', domain: 'a.test', tag: 't' }],
    ['"b\\ob"', 'a.test', { name: 'bob', domain: 'a.test', tag: null }],
    ['bob', 'bücher.test', { name: 'bob', domain: 'xn--bcher-kva.test', tag: null }],
    [`bob+${'x'.repeat(65)}`, 'a.test', { name: 'bob', domain: 'a.test', tag: 'x'.repeat(64) }],
  ];
  for (const [local, domain, expected] of recipients) {
    it(`parses ${local.slice(0, 20)}@${domain}`, () => {
      expect(recipientOf(local, domain)).to.deep.equal(expected);
    });
  }

  it('truncates a tag between characters', () => {
    const { tag } = recipientOf(`bob+${'x'.repeat(63)}\u{1f98b}`, 'a.test');
    expect(tag).to.equal('x'.repeat(63));
  });

  for (const spelling of [...spellings, ...loneSurrogates]) {
    const { means, source } = spelling;
    const address = spell(spelling, 'one.test');
    if ('fault' in means) {
      it(`rejects ${JSON.stringify(address)} by ${source}`, () => {
        expect(addressFault(address)).to.equal(means.fault);
        expect(parseAddress(address)).to.equal(null);
      });
    } else {
      it(`parses ${JSON.stringify(address)} by ${source}`, () => {
        const expected = { name: 'alice', domain: 'one.test', tag: means.tag };
        expect(parseAddress(address)).to.deep.equal(expected);
        const written = recipientAddress(expected);
        expect(parseAddress(written), written).to.deep.equal(expected);
      });
    }
  }

  it('treats address literals as foreign domains (RFC 5321 section 4.1.3)', () => {
    for (const literal of ['[127.0.0.1]', '[IPv6:::1]', '[x400:a]']) {
      expect(addressFault(`alice@${literal}`), literal).to.equal(null);
    }
  });

  for (const slug of ['abc', 'a1b', 'a.b', 'a-b_c.d', 'x'.repeat(40), '123']) {
    it(`accepts ${slug} as a mailbox name`, () => {
      expect(slugFault(slug)).to.equal(null);
    });
  }
  for (const slug of [
    '',
    'ab',
    'x'.repeat(41),
    '.ab',
    'ab-',
    'a..b',
    'a b',
    'A-B',
    'a+b',
    'ü-ü',
    'a@b',
  ]) {
    it(`rejects ${JSON.stringify(slug)} as a mailbox name and states the rule`, () => {
      expect(slugFault(slug)).to.contain('3 to 40 characters');
    });
  }
  for (const slug of ['postmaster', 'abuse', 'root', 'mailer-daemon']) {
    it(`reserves ${slug}`, () => {
      expect(slugFault(slug)).to.contain('reserved');
    });
  }

  for (const [shape, address] of [
    ['a local part without quotes', `${'a'.repeat(60)}(@b.test`],
    ['no domain', `${'a'.repeat(60)}(`],
    ['a quoted local part', `"${'a'.repeat(60)}("@b.test`],
    // as Exchange writes addresses of X.400
    ['slashes', `"/o=Example/ou=${'Exchange Administrative Group/'.repeat(3)}cn=(x)"@b.test`],
    ['a local part of 1 MB', `"${'a'.repeat(1e6)}@b.test`],
    ['a domain of many characters', `a@${HAN.repeat(10)}`],
    ['marks that are sorted', `a@b${'\u0301\u0316'.repeat(60_000)}`],
  ] as const) {
    it(`reads and refuses ${shape} in time`, async () => {
      const rules = [comparableAddress, foreignAddressFault, addressFault, normalizeDomain];
      for (const rule of rules) expect(await cpuOf(() => rule(address))).to.be.below(1000);
    });
  }

  it('accepts what senders use beyond the standard, up to 255 octets before and after the "@"', () => {
    for (const address of [
      'ann..lee.@docomo.example',
      'ann@my_host',
      'root',
      '"ann (home)"@x.test',
      `${'a'.repeat(255)}@${`${'b'.repeat(62)}.`.repeat(4)}c`,
    ]) {
      expect(foreignAddressFault(address), address).to.equal(null);
    }
    expect(foreignAddressFault(`${'a'.repeat(512)}@b.test`)).to.equal('tooLong');
  });

  it('recognizes a domain name', () => {
    expect(normalizeDomain(' Mail.EXAMPLE. ')).to.equal('mail.example');
    for (const good of ['a.test', 'localhost', 'x-1.b2.test'])
      expect(isDomainName(good)).to.equal(true);
    for (const bad of ['', 'a..b', '-a.test', 'a_b.test', `${'a'.repeat(64)}.test`, 'a b']) {
      expect(isDomainName(bad), bad).to.equal(false);
    }
  });
});
