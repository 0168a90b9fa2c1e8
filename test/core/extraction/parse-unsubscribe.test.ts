import { expect } from 'chai';
import { extractFrom, inBody } from './mail-parts.ts';

const ONE_CLICK = 'List-Unsubscribe=One-Click';

describe('List-Unsubscribe', () => {
  const none = { header: [], mailto: [], oneClick: false, body: [], problems: [] };

  for (const [what, listUnsubscribe, listUnsubscribePost, expected] of [
    ['absent', null, null, none],
    [
      'with one-click',
      '<https://shop.example/u/1>, <mailto:leave@shop.example?subject=off>',
      ONE_CLICK,
      {
        ...none,
        header: ['https://shop.example/u/1'],
        mailto: ['mailto:leave@shop.example?subject=off'],
        oneClick: true,
      },
    ],
    [
      'with one-click over HTTP',
      '<http://shop.example/u/1>',
      ONE_CLICK,
      {
        ...none,
        header: ['http://shop.example/u/1'],
        oneClick: true,
        problems: ['one_click_without_https'],
      },
    ],
    ['without brackets', 'https://shop.example/u/1', null, { ...none, problems: ['bad_syntax'] }],
    [
      'with another value for POST',
      '<https://shop.example/u/1>',
      'yes',
      { ...none, header: ['https://shop.example/u/1'], problems: ['bad_syntax'] },
    ],
    [
      'with a comment',
      '(Use this) <https://shop.example/u/1>',
      null,
      { ...none, header: ['https://shop.example/u/1'] },
    ],
  ] as const) {
    it(`${what} is read`, () => {
      expect(extractFrom({ listUnsubscribe, listUnsubscribePost }).unsubscribe).to.deep.equal(
        expected,
      );
    });
  }

  it('is listed beside the links of the body', () => {
    const html = inBody('<a href="https://shop.example/u/2">unsubscribe here</a>');
    expect(extractFrom({ html }).unsubscribe.body).to.deep.equal(['https://shop.example/u/2']);
  });
});
