import { expect } from 'chai';
import { hasPart } from '../../../core/text/has-part.ts';
import { cpuOf } from '../../hostile/measure.ts';

describe('a part of a text', () => {
  it('is found where the text has it', () => {
    const half = 'ab'.repeat(40);
    for (const [text, part, isIn] of [
      [`x${half}c${half}cy`, `${half}c`, true],
      [`${half}a${half}c`, `ab${half}c`, false],
      [`aab${half}c`, `ab${half}c`, true],
      [half, `${half}a`, false],
      ['abc', 'bc', true],
      ['', 'a', false],
    ] as const) {
      expect(hasPart(text, part), `${part} in ${text}`).to.equal(isIn);
    }
  });

  it('is looked for in linear time', async () => {
    const half = 'a'.repeat(8000);
    const cost = await cpuOf(() => hasPart('a'.repeat(1_000_000), `${half}b${half}`));
    expect(cost).to.be.below(500);
  });
});
