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

  it('is the same in pieces as at once', async () => {
    const parts = [
      'e\u0301',
      '한',
      '\u1112\u1161\u11ab',
      'ß ',
      ' \u00ad ',
      'ΣΑΣ',
      '😀',
      '\r\n\t ',
      '\ufdfa',
      'ﬁ',
    ];
    let seed = 7;
    const next = (below: number) => (seed = (seed * 16_807) % 2_147_483_647) % below;
    for (let n = 0; n < 5; n += 1) {
      const text = Array.from({ length: 30_000 }, () => parts[next(parts.length)]).join('');
      const whole = text
        .normalize('NFKC')
        .toUpperCase()
        .toLowerCase()
        .replaceAll('ς', 'σ')
        .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
        .replace(/\s+/g, ' ')
        .trim();
      expect(foldText(text)).to.equal(whole);
    }
  });

  it('is the same for ASCII characters alone as beside others', () => {
    const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
    for (const text of [ascii, ' \r\n A  b\t\tC \n', `x${ascii}${ascii} \n x`]) {
      expect(`é${foldText(`x${text}x`)}`).to.equal(foldText(`éx${text}x`));
    }
    expect(foldText(' \n A \t')).to.equal('a');
  });
});
