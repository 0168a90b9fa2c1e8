import { readFileSync } from 'node:fs';
import { mailSnapshot } from '@mayfly/client/snapshot';
import { expect } from 'chai';
import * as z from 'zod';

const cases = z.array(z.object({ text: z.string(), masked: z.string() }));
const CASES = cases.parse(
  JSON.parse(readFileSync(new URL('mail-snapshots.json', import.meta.url), 'utf8')),
);
const WORDS = z
  .array(z.string())
  .parse(JSON.parse(readFileSync(new URL('path-words.json', import.meta.url), 'utf8')));
const MESSAGE = {
  from: 'hello@shop.example',
  fromName: 'Shop',
  to: ['brave-otter-12@one.test'],
  cc: [],
  subject: '482913 is your code',
  attachments: [{ filename: 'invoice.pdf', contentType: 'application/pdf' }],
  envelope: { from: 'bounces@shop.example', to: ['hidden@one.test'] },
};
const snapshot = (fields: object, options?: object) =>
  mailSnapshot({ ...MESSAGE, ...fields } as never, options);

const SMALL = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALL = SMALL + SMALL.toUpperCase() + DIGITS;
const TOKENS: [kind: string, characters: string, length: number][] = [
  ['small letters', SMALL, 32],
  ['capitals and digits', SMALL.toUpperCase() + DIGITS, 8],
  ['hexadecimal digits', `${DIGITS}abcdef`, 8],
  ['hexadecimal digits', `${DIGITS}abcdef`, 12],
  ['base 36', SMALL + DIGITS, 11],
  ['base 36', SMALL + DIGITS, 13],
  ['base 36', SMALL + DIGITS, 24],
  ['base 62', ALL, 8],
  ['Nano ID', `${ALL}_-`, 10],
  ['base64url', `${ALL}_-`, 22],
];
const SAMPLES = 2000;

/** Numbers from 0 to 1, the same in each run: a linear congruential generator modulo 2^32. */
function seededNumbers(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('a snapshot of a mail', () => {
  for (const { text, masked } of CASES) {
    it(`masks ${text.slice(0, 60)}`, () => {
      expect(snapshot({ text })).to.include(`\n--- text ---\n${masked}`);
    });
  }

  for (const [kind, characters, length] of TOKENS) {
    it(`masks nearly all of ${length} random characters in a path: ${kind}`, () => {
      const random = seededNumbers();
      const token = () =>
        Array.from({ length }, () => characters[Math.floor(random() * characters.length)]).join('');
      const links = Array.from({ length: SAMPLES }, () => `https://shop.example/in/${token()}`);
      const lines = snapshot({ text: links.join('\n') }).split('\n');
      const masked = lines.filter((line) => line === 'https://shop.example/in/<random>');
      expect(SAMPLES - masked.length).to.be.at.most(SAMPLES * 0.025);
    });
  }

  it('shows words in a path', () => {
    const text = WORDS.map((word) => `https://shop.example/${word}/`).join('\n');
    expect(snapshot({ text }).split('--- text ---\n')[1]).to.equal(text);
  });

  it('masks what matches a pattern of the option', () => {
    const text = 'Ticket ab-c, ticket ab-d: https://shop.example/t/ab-c/x?id=ab-c';
    const mask = [/\bab-./, /ticket/giy, /$/];
    expect(snapshot({ text }, { mask })).to.include(
      '\n<masked> <masked>, <masked> <masked>: https://shop.example/t/<masked>/x?id=<value>',
    );
    expect(snapshot({ text }, {})).to.equal(snapshot({ text }));
  });

  it('refuses other options', () => {
    for (const options of [
      null,
      'x',
      /x/,
      { mask: 'x' },
      { mask: /x/ },
      { mask: ['x'] },
      { hide: [] },
    ])
      expect(() => snapshot({}, options as never)).to.throw(
        TypeError,
        'The options of a snapshot are { mask: [/pattern/] }',
      );
  });

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
