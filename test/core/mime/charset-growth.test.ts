import { expect } from 'chai';
import { charsetName, decodeCharset } from '../../../core/mime/charsets.ts';
import { decodeEncodedWords } from '../../../core/mime/words.ts';

const RUNS = 3;

/** CPU milliseconds of this thread, the least of some runs. */
function cpuOf(work: () => void): number {
  let least = Infinity;
  for (let run = 0; run < RUNS; run += 1) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Input of four times the size may take five times as long, and what a clock cannot tell. */
function expectLinear(bytes: number, make: (bytes: number) => () => void): void {
  const [small, large] = [make(bytes), make(4 * bytes)];
  small();
  expect(cpuOf(large)).to.be.lessThan(5 * cpuOf(small) + 5);
}

describe('the time for character sets', () => {
  it('is linear in the length of a label, which is unknown above 64 characters', () => {
    let n = 0;
    expectLinear(10_000, (length) => () => charsetName(`x${n++}${' '.repeat(length)}x`));
    expect(decodeCharset(Buffer.from('\xe4', 'latin1'), `utf-16${' '.repeat(60)}`)).to.equal('ä');
    expect(charsetName(` "utf-16";${' '.repeat(50)}`)).to.equal('utf-16');
  });

  it('is short for names that are not known, however many there are', () => {
    const known = '=?gbk?Q?=D6=D0?= '.repeat(10_000);
    const made = Array.from({ length: 10_000 }, (_, n) => `=?x${n}?Q?=D6=D0?= `).join('');
    decodeEncodedWords(made);
    expect(cpuOf(() => decodeEncodedWords(made))).to.be.lessThan(
      12 * cpuOf(() => decodeEncodedWords(known)) + 5,
    );
  });

  it('does not depend on the stretches of ISO-2022', () => {
    const text = Buffer.from('\x1b$(D\x1b(B'.repeat(20_000), 'latin1');
    const plain = Buffer.from('\x1b$B'.padEnd(text.length, '0!'), 'latin1');
    decodeCharset(plain, 'iso-2022-jp');
    const stretches = cpuOf(() => decodeCharset(text, 'iso-2022-jp'));
    expect(stretches).to.be.lessThan(10 * cpuOf(() => decodeCharset(plain, 'iso-2022-jp')) + 5);
  });
});
