/** Criteria and queries that mean the same find the same messages. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type CriteriaRequest, compileCriteria } from '../../../core/matching/criteria.ts';
import { matchesAll } from '../../../core/matching/predicate.ts';
import { compileQuery } from '../../../core/search/matches.ts';
import { parseQuery } from '../../../core/search/parse-query.ts';
import { documentFor } from '../../support/context/document-for.ts';

const PEOPLE = ['anna@shop.example', 'Anna@Shop.Example', 'bob@mail.test', 'x@bücher.example'];
const DOMAINS = ['shop.example', 'mail.test', 'bücher.example'];
const WORDS = ['code', 'Straße', 'ﬁne', 'ΟΔΟΣ', 'été'];

const person = fc.constantFrom(...PEOPLE);
const mail = fc.record({
  from: person,
  to: fc.array(person, { maxLength: 2 }),
  tag: fc.constantFrom(null, 'a', 'b'),
  text: fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }),
  files: fc.nat({ max: 1 }),
  isClaimed: fc.boolean(),
});

/** The same as criteria and as a query. */
const asked: fc.Arbitrary<[CriteriaRequest, string]> = fc.oneof(
  person.map((from): [CriteriaRequest, string] => [{ from: [from] }, `from:${from}`]),
  person.map((to): [CriteriaRequest, string] => [{ to: [to] }, `to:${to}`]),
  fc
    .constantFrom(...DOMAINS)
    .map((of): [CriteriaRequest, string] => [{ from: [`@${of}`] }, `from:@${of}`]),
  fc.constantFrom('a', 'b').map((tag): [CriteriaRequest, string] => [{ tag }, `tag:${tag}`]),
  fc
    .constantFrom(...WORDS)
    .map((word): [CriteriaRequest, string] => [{ text: word }, `text:${word}`]),
  fc
    .boolean()
    .map((has): [CriteriaRequest, string] => [
      { hasAttachment: has },
      `${has ? '' : '-'}has:attachment`,
    ]),
  fc
    .boolean()
    .map((claimed): [CriteriaRequest, string] => [{ claimed }, `${claimed ? '' : '-'}is:claimed`]),
);

describe('criteria and a query that mean the same', () => {
  it('find the same messages', () => {
    let found = 0;
    fc.assert(
      fc.property(mail, asked, ({ from, to, tag, text, files, isClaimed }, [criteria, q]) => {
        const document = documentFor(
          { tag, recipient: 'box@one.test' },
          { fromAddress: from, to, attachmentCount: files },
          [text.join(' ')],
        );
        const query = parseQuery(q, { now: 0, domain: 'one.test' });
        const live = { isClaimed, mailbox: { name: 'box', labels: {} } };
        const isFound = matchesAll(compileQuery(query), document, live);
        expect(matchesAll(compileCriteria(criteria), document, live), q).to.equal(isFound);
        if (isFound) found += 1;
      }),
      { numRuns: 2000, seed: 7 },
    );
    expect(found).to.be.within(200, 1800);
  });
});
