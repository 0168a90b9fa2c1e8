import { expect } from 'chai';
import fc from 'fast-check';
import { AppError } from '../../../core/errors.ts';
import type { ParsedQuery } from '../../../core/search/query.ts';
import { operatorNames, parseQuery } from '../../../core/search/parse-query.ts';
import { anyText } from '../../support/contract/odd-values.ts';

const NOW = Date.parse('2026-01-31T12:00:00Z');
const parse = (text: string) => parseQuery(text, { now: NOW, domain: 'one.test' });
const only = (text: string) => parse(text)[0]?.condition;
const word = (text: string, isPrefix: boolean) => ({ word: text, isPrefix });

/** The position of the fault of a query; null for a query without one. */
function faultAt(text: string): number | null {
  try {
    parse(text);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.code).to.equal('invalid_request');
    const [detail] = error.details as { position: number }[];
    return detail?.position ?? -1;
  }
}

describe('query of a search', () => {
  it('has words, phrases and exclusions', () => {
    const any = { kind: 'words', field: 'any' } as const;
    expect(parse('  Code -"your order"  x-y')).to.deep.equal([
      { condition: { ...any, words: [word('code', true)] }, isExcluded: false },
      {
        condition: { ...any, words: [word('your', false), word('order', false)] },
        isExcluded: true,
      },
      { condition: { ...any, words: [word('x', false), word('y', true)] }, isExcluded: false },
    ] satisfies ParsedQuery);
    expect(parse('')).to.deep.equal([]);
    expect(parse(' \t ')).to.deep.equal([]);
  });

  it('has operators with values', () => {
    expect(only('FROM:Alice@Example.com')).to.deep.equal({
      kind: 'address',
      field: 'from',
      address: 'alice@example.com',
    });
    expect(only('to:@Acme.Test')).to.deep.equal({
      kind: 'domain',
      field: 'to',
      domain: 'acme.test',
    });
    expect(only('cc:"Jo Do"')).to.deep.equal({
      kind: 'words',
      field: 'cc',
      words: [word('jo', false), word('do', false)],
    });
    expect(only('label:run:gh:1')).to.deep.equal({
      kind: 'label',
      label: { key: 'run', value: 'gh:1' },
    });
    expect(only('header:"X-Team: Blue"')).to.deep.equal({
      kind: 'header',
      name: 'x-team',
      words: [word('blue', false)],
    });
    expect(only('message-id:<a@b>')).to.deep.equal({ kind: 'messageId', value: '<a@b>' });
    expect(only('after:2h')).to.deep.equal({ kind: 'after', time: new Date(NOW - 7_200_000) });
    expect(only('before:2026-01-31')).to.deep.equal({
      kind: 'before',
      time: new Date('2026-01-31'),
    });
    expect(only('after:2026-01-31T12:00:00.5+01:00')).to.deep.equal({
      kind: 'after',
      time: new Date('2026-01-31T11:00:00.500Z'),
    });
    expect(only('larger:500K')).to.deep.equal({ kind: 'larger', bytes: 500_000 });
    expect(only('smaller:2m')).to.deep.equal({ kind: 'smaller', bytes: 2_000_000 });
    expect(['has:html', 'has:attachment', 'is:claimed', 'is:caught'].map(only)).to.deep.equal(
      ['html', 'attachment', 'claimed', 'caught'].map((kind) => ({ kind })),
    );
  });

  it('is refused with the position of the term', () => {
    const faults: Record<string, number> = {
      'foo:1': 0,
      'code foo:1': 5,
      'code -foo:1': 5,
      '12:30': 0,
      'see https://shop.example': 4,
      ':x': 0,
      'from:': 0,
      'from: bob': 0,
      'from:@': 0,
      'a larger:big': 2,
      'larger:1.5m': 0,
      'after:yesterday': 0,
      'after:2026-02-31': 0,
      'has:code': 0,
      'is:read': 0,
      'label:run': 0,
      'header:X-Team': 0,
      '- a': 0,
      'a !!!': 2,
      '""': 0,
      'a "b': 2,
      '"a"b': 0,
      'a"b"': 0,
    };
    const found = Object.fromEntries(Object.keys(faults).map((text) => [text, faultAt(text)]));
    expect(found).to.deep.equal(faults);
    expect(() => parse('12:30')).to.throw('Put text with a colon into double quotes');
    expect(faultAt('"12:30"')).to.equal(null);
  });

  it('has at most 50 terms', () => {
    const many = (count: number) => Array.from({ length: count }, () => 'aa').join(' ');
    expect(faultAt(many(50))).to.equal(null);
    expect(faultAt(many(51))).to.equal(150);
  });

  it('is understood or refused, whatever it contains', () => {
    const piece = fc.oneof(
      fc.constantFrom(...operatorNames.map((name) => `${name}:`)),
      fc.constantFrom('"', '-', ' ', ':', '@', '\u3000', 'a', '5k', '東京', '2026-01-31'),
      anyText(3),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('');
        const at = faultAt(text);
        if (at !== null) expect(at).to.be.within(0, text.length - 1);
      }),
    );
  });
});
