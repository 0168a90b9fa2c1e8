import { expect } from 'chai';
import fc from 'fast-check';
import { newBlock } from '../../../core/extraction/block.ts';
import { contextOf } from '../../../core/extraction/links/context.ts';
import { type Hit, findWords } from '../../../core/extraction/vocabulary.ts';

/** The first word of each meaning, which is what the kinds of links depend on. */
function firstOfEach(words: Hit[]): [string, string, number][] {
  const first = new Map<string, Hit>();
  for (const hit of words) if (!first.has(hit.meaning)) first.set(hit.meaning, hit);
  return [...first.values()].map(({ meaning, word, start }) => [meaning, word, start]);
}

describe('the text around a link', () => {
  it('has the words of its blocks, and those that go from one to the next', () => {
    const word = fc.constantFrom(
      ...['sign', 'in', 'log', 'reset', 'your', 'password', 'verification', 'code', 'accept'],
      ...[
        'the',
        'invitation',
        'se',
        'connecter',
        'réinitialiser',
        'mot de passe',
        '登录',
        'x'.repeat(90),
      ],
    );
    const line = fc.array(word, { maxLength: 14 }).map((words) => words.join(' '));
    const mail = fc.tuple(fc.array(line, { minLength: 1, maxLength: 4 }), fc.nat(3));
    fc.assert(
      fc.property(mail, ([lines, at]) => {
        const blocks = lines.map((text) => newBlock(text, 'html'));
        const before = lines.slice(Math.max(0, at - 2), at).map((text) => text.slice(-400));
        const joined = [...before, (lines[at] ?? '').slice(0, 400)].join(' ');
        expect(firstOfEach(contextOf(blocks, at).words())).to.deep.equal(
          firstOfEach(findWords(joined)),
        );
      }),
      { numRuns: 500 },
    );
  });
});
