import { expect } from 'chai';
import { parseCidr } from '../../../core/config/cidr.ts';

describe('networks allowed in addition', () => {
  for (const [text, expected] of [
    ['10.0.0.0/8', { address: '10.0.0.0', prefix: 8, family: 'ipv4' }],
    [' 127.0.0.1/32 ', { address: '127.0.0.1', prefix: 32, family: 'ipv4' }],
    ['::1/128', { address: '::1', prefix: 128, family: 'ipv6' }],
  ] as const) {
    it(`are parsed from ${JSON.stringify(text)}`, () => {
      expect(parseCidr(text)).to.deep.equal(expected);
    });
  }

  for (const bad of [
    '',
    '/',
    '/8',
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/0',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/9',
    '10.0.0.0/8 x',
    '10.0.0.0/1e1',
    '10.0.0/8',
    '010.0.0.0/8',
    '::/0',
    '::/129',
    'fe80::1%eth0/64',
    'localhost/8',
  ]) {
    it(`are not parsed from ${JSON.stringify(bad)}`, () => {
      expect(() => parseCidr(bad)).to.throw('is not a network');
    });
  }
});
