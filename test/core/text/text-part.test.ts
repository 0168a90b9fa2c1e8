import { expect } from 'chai';
import fc from 'fast-check';
import { FoldedText } from '../../../core/text/folded-text.ts';
import { textPart } from '../../../core/text/text-part.ts';

const has = (text: string, part: string, isSpaced = false) => {
  const sought = textPart(part, isSpaced);
  return sought !== null && new FoldedText(text).contains(sought);
};

describe('parts of texts', () => {
  it('ignore case, forms of characters and runs of whitespace', () => {
    expect(has('Reset   your\r\n password', 'RESET YOUR PASS')).to.equal(true);
    expect(has('STRASSE', 'straß')).to.equal(true);
    expect(has('ﬁne e\u0301', 'FINE É')).to.equal(true);
    expect(has('確認コード', '認コ')).to.equal(true);
    expect(has('zero\u200bwidth', 'rowi')).to.equal(true);
    expect(has('reset your', 'reset  pass')).to.equal(false);
  });

  it('take punctuation for spaces if they are spaced', () => {
    expect(has('body <jdsauk;dwqmdqw;>.', 'body jdsauk "dwqmdqw"', true)).to.equal(true);
    expect(has('body <jdsauk;dwqmdqw;>.', 'body jdsauk dwqmdqw')).to.equal(false);
    expect(has('Hello, world', 'hello world,', true)).to.equal(true);
    expect(has('no comma', ',', true)).to.equal(false);
    expect(has('a, b', ',', true)).to.equal(true);
  });

  it('are not empty, and not longer than 1,000 characters', () => {
    for (const empty of ['', ' \t\r\n', '\u200b\u00ad\ufeff', 'x'.repeat(1001)]) {
      expect(textPart(empty, true), JSON.stringify(empty)).to.equal(null);
    }
    expect(textPart('x'.repeat(1000), true)).not.to.equal(null);
  });

  it('are found as `includes` finds them, of any length', () => {
    const letters = (max: number) =>
      fc.array(fc.constantFrom('a', 'b'), { maxLength: max }).map((all) => all.join(''));
    const repeated = fc.tuple(letters(5), fc.nat({ max: 40 })).map(([s, n]) => s.repeat(n));
    fc.assert(
      fc.property(
        fc.array(repeated, { maxLength: 4 }),
        fc.nat(),
        fc.nat({ max: 120 }),
        fc.array(repeated, { maxLength: 2 }),
        (pieces, at, length, others) => {
          const text = pieces.join('');
          const start = at % (text.length + 1);
          for (const part of [text.slice(start, start + length), others.join('')]) {
            if (part === '' || part.length > 1000) continue;
            expect(has(text, part), `${text} ${part}`).to.equal(text.includes(part));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are looked for in time that grows with the text only', () => {
    const text = new FoldedText('a'.repeat(1_000_000));
    const cpu = (part: string) => {
      const sought = textPart(part, false)!;
      const began = process.cpuUsage();
      for (let n = 0; n < 5; n += 1) expect(text.contains(sought)).to.equal(false);
      const { user } = process.cpuUsage(began);
      return user;
    };
    cpu('ab');
    const middle = (length: number) => `${'a'.repeat(length)}b${'a'.repeat(length)}`;
    // `includes` takes 8 times as long.
    expect(cpu(middle(480))).to.be.below(4 * cpu(middle(60)));
  });
});
