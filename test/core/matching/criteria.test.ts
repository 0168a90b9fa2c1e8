import { expect } from 'chai';
import { AppError } from '../../../core/errors.ts';
import { type CriteriaRequest, compileCriteria } from '../../../core/matching/criteria.ts';
import { documentFor } from '../../support/context/document-for.ts';

const document = {
  ...documentFor(
    { tag: 'a', recipient: 'box+a@one.test' },
    {
      subject: 'Your  Code: Straße ﬁne ΟΔΟΣ',
      fromAddress: 'noreply@shop.example',
      to: ['customer@gmail.com'],
    },
    ['Hello\r\n  there', 'Tap the link'],
  ),
  header: [
    { name: 'X-Test-Run', value: '42' },
    { name: 'X-Test-Run', value: '43' },
  ],
  facts: { hasCode: true, linkKinds: new Set(['verify', 'legal'] as const) },
};

const failed = (request: CriteriaRequest) =>
  compileCriteria(request).flatMap(({ name, matches }) =>
    matches(document, { isClaimed: false }) ? [] : [name],
  );

describe('criteria of a wait', () => {
  const fitting: CriteriaRequest[] = [
    {},
    { from: ['NoReply@Shop.Example'] },
    { from: ['a@b.test', '@shop.example'] },
    { to: ['customer@gmail.com'] },
    { to: ['box+A@one.test'] },
    { to: ['@ONE.test'] },
    { tag: 'a' },
    { subject: 'your code' },
    { subject: ' STRASSE FINE ' },
    { subject: 'οδος' },
    { text: 'hello there' },
    { text: 'tap the' },
    { header: ['x-test-run: 42', 'X-Test-Run:43'] },
    { hasAttachment: false },
    { claimed: false },
    { hasCode: true },
    { link: 'verify' },
    { link: 'legal' },
  ];
  for (const request of fitting) {
    it(`fit: ${JSON.stringify(request)}`, () => {
      expect(failed(request)).to.deep.equal([]);
    });
  }

  const unfitting: CriteriaRequest[] = [
    { from: ['reply@shop.example'] },
    { from: ['@op.example'] },
    { from: ['customer@gmail.com'] },
    { to: ['box@one.test'] },
    { to: ['noreply@shop.example'] },
    { tag: 'A' },
    { subject: 'codes' },
    { text: 'hello tap' },
    { header: ['X-Test-Run: 4'] },
    { header: ['X-Test-Run: 42', 'X-Other: 1'] },
    { hasAttachment: true },
    { claimed: true },
    { hasCode: false },
    { link: 'reset' },
  ];
  for (const request of unfitting) {
    it(`do not fit: ${JSON.stringify(request)}`, () => {
      expect(failed(request)).to.deep.equal(Object.keys(request));
    });
  }

  it('all have to fit', () => {
    expect(failed({ subject: 'other', tag: 'a', hasAttachment: true })).to.deep.equal([
      'subject',
      'hasAttachment',
    ]);
  });

  it('reject a header without a name', () => {
    for (const header of ['42', ': 42', 'X Y: 42']) {
      expect(() => compileCriteria({ header: [header] }))
        .to.throw(AppError)
        .with.property('code', 'invalid_request');
    }
  });
});
