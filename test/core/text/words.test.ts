import { expect } from 'chai';
import fc from 'fast-check';
import { queryWords, tokenize } from '../../../core/text/words.ts';
import { foldText } from '../../../core/text/characters.ts';
import { FoldedText } from '../../../core/text/folded-text.ts';

const words = (text: string) => tokenize(foldText(text));
const fits = (text: string, query: string, isWhole = false) =>
  new FoldedText(text).has(queryWords(query, isWhole));

describe('words of texts and queries', () => {
  it('are runs of letters, marks and digits, without case and with accents', () => {
    expect(words('Your CODE: 482-913, straße_2 Éa x@mail.example')).to.deep.equal(
      'your code 482 913 strasse 2 éa x mail example'.split(' '),
    );
    expect(words('e\u0301te\u0301 \uff21\uff11 \u039f\u0394\u039f\u03a3 so\u00adft')).to.deep.equal(
      'été a1 οδοσ soft'.split(' '),
    );
    expect(words('Party 🎉🎉!')).to.deep.equal(['party', '🎉', '🎉']);
  });

  it('are pairs of characters in text without spaces', () => {
    expect(words('Tokyo東京都 確認コード')).to.deep.equal(
      'tokyo 東京 京都 都 確認 認コ コー ード ド'.split(' '),
    );
    for (const part of ['東', '都', '東京', '京都', '東京都', 'o東', 'tokyo東京']) {
      const isFound = part !== 'o東';
      expect(fits('Tokyo東京都', part), part).to.equal(isFound);
      expect(fits('Tokyo東京都', part, true), part).to.equal(isFound);
    }
    expect(fits('東京は都', '京都')).to.equal(false);
    expect(fits('한국어 메일', '국어 메')).to.equal(true);
    expect(fits('รหัสของคุณ', 'ของ')).to.equal(true);
  });

  it('fit the start of a word, and in double quotes whole words in a row', () => {
    expect(fits('Order confirmed', 'conf')).to.equal(true);
    expect(fits('Order confirmed', 'rder')).to.equal(false);
    expect(fits('Order confirmed', 'order-conf')).to.equal(true);
    expect(fits('Order confirmed', 'order conf', true)).to.equal(false);
    expect(fits('Order not confirmed', 'order confirmed', true)).to.equal(false);
    expect(fits('résumé', 'resume')).to.equal(false);
  });

  it('find each part of a text between two boundaries of words', () => {
    const part = fc.constantFrom(
      'a',
      'Bé',
      '12',
      '東',
      '京都',
      'ー',
      ' ',
      '-',
      '🎉',
      'ß',
      '\u0301',
      'ﬁ',
      'Σ',
    );
    const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, text, (before, middle, after) => {
        fc.pre(queryWords(middle, true).length > 0);
        const whole = `${before} ${middle} ${after}`;
        expect(fits(whole, middle, true), whole).to.equal(true);
        expect(fits(whole, middle), whole).to.equal(true);
      }),
    );
  });
});
