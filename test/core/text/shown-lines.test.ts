import { expect } from 'chai';
import { PORTION, portionOf } from '../../../core/text/shown-lines.ts';

describe('a portion of a text', () => {
  it('has lines with visible characters, and where they begin', () => {
    const text = '\r\n \n  one\r\n\n\ttwo\r';
    const lines = [
      { at: 4, line: '  one' },
      { at: 12, line: '\ttwo' },
    ];
    expect(portionOf(text, 0)).to.deep.equal({ lines, next: null });
    expect(portionOf(text, 7).lines[0]).to.deep.equal({ at: 7, line: 'ne' });
    expect(portionOf(text, text.length)).to.deep.equal({ lines: [], next: null });
  });

  it('ends with the line that fills it, and a long line is cut', () => {
    const { lines, next } = portionOf('x'.repeat(10_000), 0);
    expect(lines.map(({ line }) => line.length)).to.deep.equal([PORTION + 1]);
    expect(next).to.equal(PORTION + 1);
  });

  it('passes over whitespace of any length', () => {
    const blank = ' \n'.repeat(1_000_000) + ' '.repeat(1_000_000);
    const { lines, next } = portionOf(`${blank}end`, 0);
    expect(lines.map(({ line }) => line.trim())).to.deep.equal(['end']);
    expect(next).to.equal(null);
  });
});
