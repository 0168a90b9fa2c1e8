import { expect } from 'chai';
import { parseCidr } from '../../../core/config/cidr.ts';
import { isAllowedTarget } from '../../../core/egress/address-policy.ts';

/** First and last address of each denied network, and allowed neighbors. */
const DENIED: [network: string, first: string, last: string, neighbors: string[]][] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', ['1.0.0.0']],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', ['9.255.255.255', '11.0.0.0']],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255', ['100.63.255.255', '100.128.0.0']],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255', ['126.255.255.255', '128.0.0.0']],
  ['168.63.129.16', '168.63.129.16', '168.63.129.16', ['168.63.129.15', '168.63.129.17']],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255', ['169.253.255.255', '169.255.0.0']],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', ['172.15.255.255', '172.32.0.0']],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255', ['191.255.255.255', '192.0.1.0']],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255', ['192.0.1.255', '192.0.3.0']],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255', ['192.88.98.255', '192.88.100.0']],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255', ['192.167.255.255', '192.169.0.0']],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255', ['198.17.255.255', '198.20.0.0']],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255', ['198.51.99.255', '198.51.101.0']],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255', ['203.0.112.255', '203.0.114.0']],
  ['224.0.0.0/4', '224.0.0.0', '239.255.255.255', ['223.255.255.255']],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.255', []],
  ['all below 2000::/3', '::', `1fff${':ffff'.repeat(7)}`, ['2000::']],
  ['all above 2000::/3', '4000::', `ffff${':ffff'.repeat(7)}`, [`3fff${':ffff'.repeat(7)}`]],
  [
    '2001::/23',
    '2001::',
    `2001:1ff${':ffff'.repeat(6)}`,
    [`2000${':ffff'.repeat(7)}`, '2001:200::'],
  ],
  [
    '2001:db8::/32',
    '2001:db8::',
    `2001:db8${':ffff'.repeat(6)}`,
    [`2001:db7${':ffff'.repeat(6)}`, '2001:db9::'],
  ],
  ['2002::/16', '2002::', `2002${':ffff'.repeat(7)}`, [`2001${':ffff'.repeat(7)}`, '2003::']],
  [
    '3fff::/20',
    '3fff::',
    `3fff:fff${':ffff'.repeat(6)}`,
    [`3ffe${':ffff'.repeat(7)}`, '3fff:1000::'],
  ],
];

describe('webhook targets', () => {
  for (const [network, first, last, neighbors] of DENIED) {
    it(`exclude ${network} and include its neighbors`, () => {
      expect(isAllowedTarget(first, []), first).to.equal(false);
      expect(isAllowedTarget(last, []), last).to.equal(false);
      for (const address of neighbors) {
        expect(isAllowedTarget(address, []), address).to.equal(true);
      }
    });
  }

  for (const [what, address] of [
    ['loopback', '::1'],
    ['nothing', '::'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-compatible, public', '::8.8.8.8'],
    ['IPv4-translated', '::ffff:0:8.8.8.8'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64, public', '64:ff9b::8.8.8.8'],
    ['NAT64 of an operator', '64:ff9b:1::8.8.8.8'],
    ['discard', '100::1'],
    ['6to4', '2002:7f00:1::'],
    ['6to4, public', '2002:808:808::1'],
    ['Teredo', '2001:0:808:808::1'],
    ['ORCHID', '2001:20::1'],
    ['segment routing', '5f00::1'],
    ['unique local', 'fc00::1'],
    ['metadata of a cloud', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['public with a zone', '2606:4700::1111%eth0'],
    ['loopback, mapped, with a zone', '::ffff:127.0.0.1%lo'],
  ] as const) {
    it(`exclude ${what} (${address})`, () => {
      expect(isAllowedTarget(address, [])).to.equal(false);
    });
  }

  it('as IPv4-mapped addresses are treated as IPv4', () => {
    for (const [ipv4, hex] of [
      ['127.0.0.1', '7f00:1'],
      ['10.1.2.3', 'a01:203'],
      ['169.254.169.254', 'a9fe:a9fe'],
      ['0.0.0.0', '0:0'],
    ]) {
      expect(isAllowedTarget(`::ffff:${ipv4}`, []), ipv4).to.equal(false);
      expect(isAllowedTarget(`::ffff:${hex}`, []), hex).to.equal(false);
      expect(isAllowedTarget(`0:0:0:0:0:ffff:${ipv4}`, []), ipv4).to.equal(false);
    }
    for (const address of ['::ffff:8.8.8.8', '::ffff:808:808', '::FFFF:808:808']) {
      expect(isAllowedTarget(address, []), address).to.equal(true);
    }
  });

  for (const text of [
    '',
    'localhost',
    '127.1',
    '0x7f.1',
    '2130706433',
    '010.0.0.1',
    ' 8.8.8.8',
    '8.8.8.8 ',
    '8.8.8.8%eth0',
    '8.8.8.8:80',
    '8.8.8',
    '[2606:4700::1111]',
    '2606:4700::1111::',
  ]) {
    it(`are addresses, unlike ${JSON.stringify(text)}`, () => {
      expect(isAllowedTarget(text, [])).to.equal(false);
    });
  }

  it('include the networks that the operator allows, and no more', () => {
    const allowed = ['10.1.0.0/16', 'fd00:1::/64'].map(parseCidr);
    for (const address of ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', 'fd00:1::5', '8.8.8.8']) {
      expect(isAllowedTarget(address, allowed), address).to.equal(true);
    }
    for (const address of ['10.0.255.255', '10.2.0.0', '::ffff:10.2.0.0', 'fd00:1:0:1::', '::1']) {
      expect(isAllowedTarget(address, allowed), address).to.equal(false);
    }
  });
});
