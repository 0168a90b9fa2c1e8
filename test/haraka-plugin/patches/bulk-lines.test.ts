import { expect } from 'chai';
import { ordinaryLinesEnd } from '../../../haraka-plugin/patches/data.ts';

describe('ordinary body lines', () => {
  for (const [bytes, ordinary] of [
    ['', ''],
    ['a\r\nb\r\n', 'a\r\nb\r\n'],
    ['\r\n\r\n', '\r\n\r\n'],
    ['a\r\nhalf', 'a\r\n'],
    ['half', ''],
    ['a\r\n.\r\n', 'a\r\n'],
    ['.\r\n', ''],
    ['a\r\n..b\r\nc\r\n', 'a\r\n'],
    ['a\r\nb\n.\r\nc\r\n', 'a\r\n'],
    ['\nb\r\n', ''],
    ['a\r\n\nb\r\n', 'a\r\n'],
    ['a\r.\r\nb\r\n', 'a\r.\r\nb\r\n'],
    ['a\r\n\r', 'a\r\n'],
  ] as const) {
    it(`of ${JSON.stringify(bytes)} are ${JSON.stringify(ordinary)}`, () => {
      expect(ordinaryLinesEnd(Buffer.from(bytes))).to.equal(ordinary.length);
    });
  }
});
