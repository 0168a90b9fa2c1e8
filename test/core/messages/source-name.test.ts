import { expect } from 'chai';
import { sourceName } from '../../../core/messages/files.ts';

describe('file name of a raw mail', () => {
  for (const [subject, expected] of [
    ['Your order', 'Your order.eml'],
    ['Größe ✓ 🦋', 'Größe ✓ 🦋.eml'],
    ['a\r\nSet-Cookie: x\0y', 'a Set-Cookie x y.eml'],
    ['../../etc/passwd', 'etc passwd.eml'],
    ['C:\\x', 'C x.eml'],
    ['.hidden. .', 'hidden.eml'],
    ['in\u202Efdp.exe', 'in fdp.exe.eml'],
    ['a "b" <c>|d*?', 'a b c d.eml'],
    ['lone \ud800 surrogate', 'lone \ufffd surrogate.eml'],
    ['', 'msg_1.eml'],
    [' \t/\\..', 'msg_1.eml'],
  ] as const) {
    it(`for ${JSON.stringify(subject)} is ${expected}`, () => {
      expect(sourceName(subject, 'msg_1')).to.equal(expected);
    });
  }

  it('has at most 200 bytes and no partial characters', () => {
    expect(sourceName('x'.repeat(1000), 'msg_1')).to.equal(`${'x'.repeat(196)}.eml`);
    expect(sourceName('🦋'.repeat(1000), 'msg_1')).to.equal(`${'🦋'.repeat(49)}.eml`);
    expect(sourceName(`x${'ü'.repeat(1000)}`, 'msg_1')).to.equal(`x${'ü'.repeat(97)}.eml`);
  });
});
