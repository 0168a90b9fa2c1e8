import { expect } from 'chai';
import { charsetName, decodeCharset } from '../../../core/mime/charsets.ts';
import { decodeEncodedWords } from '../../../core/mime/words.ts';
import { cpuOf, least } from '../../hostile/measure.ts';

const RUNS = 3;

/** CPU milliseconds, the least of some runs. */
const costOf = (work: () => void) => least(RUNS, () => cpuOf(work));

/** Input of four times the size may take five times as long, and what a clock cannot tell. */
async function expectLinear(bytes: number, make: (bytes: number) => () => void): Promise<void> {
  const [small, large] = [make(bytes), make(4 * bytes)];
  small();
  expect(await costOf(large)).to.be.lessThan(5 * (await costOf(small)) + 5);
}

describe('the time for character sets', () => {
  it('is linear in the length of a label, which is unknown above 64 characters', async () => {
    let n = 0;
    await expectLinear(10_000, (length) => () => charsetName(`x${n++}${' '.repeat(length)}x`));
    expect(decodeCharset(Buffer.from('\xe4', 'latin1'), `utf-16${' '.repeat(60)}`)).to.equal('ä');
    expect(charsetName(` "utf-16";${' '.repeat(50)}`)).to.equal('utf-16');
  });

  it('is short for names that are not known, however many there are', async () => {
    const known = '=?gbk?Q?=D6=D0?= '.repeat(10_000);
    const made = Array.from({ length: 10_000 }, (_, n) => `=?x${n}?Q?=D6=D0?= `).join('');
    decodeEncodedWords(made);
    expect(await costOf(() => decodeEncodedWords(made))).to.be.lessThan(
      12 * (await costOf(() => decodeEncodedWords(known))) + 5,
    );
  });

  it('does not depend on the stretches of ISO-2022', async () => {
    const text = Buffer.from('\x1b$(D\x1b(B'.repeat(20_000), 'latin1');
    const plain = Buffer.from('\x1b$B'.padEnd(text.length, '0!'), 'latin1');
    decodeCharset(plain, 'iso-2022-jp');
    const stretches = await costOf(() => decodeCharset(text, 'iso-2022-jp'));
    const whole = await costOf(() => decodeCharset(plain, 'iso-2022-jp'));
    // 5 to 8 ms, and 200 ms with a decoder for each stretch.
    expect(stretches).to.be.lessThan(10 * whole + 50);
  });
});
