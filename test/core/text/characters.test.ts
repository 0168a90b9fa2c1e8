import { expect } from 'chai';
import { foldText } from '../../../core/text/characters.ts';

const MOST = 1_048_576;

describe('a folded text', () => {
  it('has the start of a longer text, however much longer folding makes it', () => {
    const ligature = '\ufdfa'; // NFKC makes 18 characters of it
    const folded = foldText(ligature);
    expect(folded).to.have.length.above(ligature.length);
    for (const text of [ligature.repeat(MOST), `${'x'.repeat(MOST)}y`, 'ß'.repeat(MOST)]) {
      expect(foldText(text)).to.have.length(MOST);
    }
    expect(foldText(ligature.repeat(MOST)).startsWith(`${folded}${folded}`)).to.equal(true);
  });
});
