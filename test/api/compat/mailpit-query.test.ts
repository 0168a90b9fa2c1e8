import { expect } from 'chai';
import { parseMailpitQuery } from '../../../api/compat/mailpit-query.ts';
import { AppError } from '../../../core/errors.ts';

const REFUSED = [
  ...['', ' ', '"', '""', '" "', '-"', '-""', '\u200b', 'subject:a "b'],
  ...[
    'subject:',
    '-subject:',
    'subject:""',
    'from:" "',
    '!tag:""',
    'subject: old',
    'subject:x to:""',
  ],
  ...['unknownop:x', '-unknownop:x', '!unknownop:"x y"', 'filename:x', 'text:x', 'label:a:b'],
  ...['--larger:100kb', '-!larger:100kb', '!-is:tagged', '!!has:inline', '-\u200blarger:abc'],
  ...['Größe:x', '-тема:x', 'mailto:ann@else.test', 'Re: hello', 'has-inline:x', 'OR:x'],
  ...[
    'larger:abc',
    '-larger:abc',
    'larger:0',
    '-smaller:0k',
    'larger:100gb',
    'larger:-1',
    'larger:"1 0"',
  ],
  ...['is:starred', '-is:tag', 'has:html', '-has:"inline pictures"', 'is:'],
  ...[
    'before:yesterday',
    '-after:2026-02-30',
    'after:2026-01-31T25:00',
    'before:3d',
    'after:20260131',
    'before:0000-01-01',
    '-after:01/01/0099',
  ],
  ...['x '.repeat(51), 'x '.repeat(2500), 'x'.repeat(1001)],
];
const OF_DELETIONS = ['is:read', 'is:unread', '-is:read', '!IS:"unread"', 'report is:unread'];
const TEXT: [query: string, text: string, isExcluded: boolean][] = [
  ['12:30', '12:30', false],
  ['-https://else.test/x', 'https://else.test/x', true],
  ['!localhost:3000', 'localhost:3000', true],
  ['"-larger:100kb"', '-larger:100kb', false],
  ['-"is:read"', 'is:read', true],
  ['sub"ject:x"', 'subject:x', false],
  ['a"b c"d', 'ab cd', false],
  ['-', '-', false],
  ['!', '!', false],
  ['--x', '-x', true],
  ['--https://else.test', '-https://else.test', true],
  ['x_y:z', 'x_y:z', false],
  ['(larger:100kb', 'larger:100kb', false],
];

describe('a query of Mailpit', () => {
  const parse = (query: string, isDeletion = false) =>
    parseMailpitQuery(query, { timeZone: '', isDeletion });
  const fault = (query: string, isDeletion: boolean) => {
    try {
      parse(query, isDeletion);
      return null;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return error.code;
    }
  };

  it('is refused with another operator, a value that is not valid, or no term', () => {
    for (const query of REFUSED) {
      for (const isDeletion of [false, true]) {
        expect(fault(query, isDeletion), query.slice(0, 40)).to.equal('invalid_request');
      }
    }
    for (const query of OF_DELETIONS) {
      expect(fault(query, true), query).to.equal('invalid_request');
      expect(fault(query, false), query).to.equal(null);
    }
  });

  it('has text where no word of letters stands before a colon', () => {
    for (const [query, text, isExcluded] of TEXT) {
      const [term, ...others] = parse(query);
      expect(others, query).to.deep.equal([]);
      expect(term, query).to.deep.include({ isExcluded });
      expect(term?.condition, query).to.deep.include({ kind: 'contains' });
      expect(term?.condition, query).to.have.nested.property('part.text', text);
    }
  });

  it('is read in time that grows with its length', () => {
    const cpu = (query: string) => {
      const began = process.cpuUsage();
      for (let n = 0; n < 3; n += 1) fault(query, true);
      return process.cpuUsage(began).user;
    };
    const forms = ['-', '!', '"', 'a', 'a-', '"a"', '-"', 'a:', ' ', '\u200b', 'ä'];
    for (const form of forms) {
      cpu(form.repeat(1000));
      const short = cpu(form.repeat(4000));
      expect(cpu(form.repeat(64_000)), form).to.be.below(64 * short + 50_000);
    }
  });
});
