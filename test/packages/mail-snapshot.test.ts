import { readFileSync } from 'node:fs';
import { mailSnapshot } from '@mayfly/client/snapshot';
import { expect } from 'chai';
import * as z from 'zod';

const cases = z.array(z.object({ text: z.string(), masked: z.string() }));
const CASES = cases.parse(
  JSON.parse(readFileSync(new URL('mail-snapshots.json', import.meta.url), 'utf8')),
);
const MESSAGE = {
  from: 'hello@shop.example',
  fromName: 'Shop',
  to: ['brave-otter-12@one.test'],
  cc: [],
  subject: '482913 is your code',
  attachments: [{ filename: 'invoice.pdf', contentType: 'application/pdf' }],
  envelope: { from: 'bounces@shop.example', to: ['hidden@one.test'] },
};
const snapshot = (fields: object) => mailSnapshot({ ...MESSAGE, ...fields } as never);

describe('a snapshot of a mail', () => {
  for (const { text, masked } of CASES) {
    it(`masks ${text.slice(0, 60)}`, () => {
      expect(snapshot({ text })).to.include(`\n--- text ---\n${masked}`);
    });
  }

  it('has the addresses, subject, attachments and bodies', () => {
    const text = 'Your code is 482913.  \r\nFor hidden@one.test';
    expect(snapshot({ text, html: '<p>482913' }).split('\n')).to.deep.equal([
      'From: Shop <hello@shop.example>',
      'To: <recipient>',
      'Subject: <code> is your code',
      'Attachment: invoice.pdf (application/pdf)',
      '',
      '--- text ---',
      'Your code is <code>.',
      'For <recipient>',
      '',
      '--- html ---',
      '<p><code>',
    ]);
  });

  it('refuses what is no message', () => {
    for (const value of ['hello', null, {}])
      expect(() => mailSnapshot(value as never)).to.throw(TypeError, 'takes a message');
  });
});
