import { expect } from 'chai';
import { extractFrom } from './mail-parts.ts';

/** Texts with the URLs that they contain. */
const TEXTS: [text: string, urls: string[]][] = [
  ['请点击https://shop.example/verify?t=1', ['https://shop.example/verify?t=1']],
  ['こちらhttps://shop.example/verify?t=1', ['https://shop.example/verify?t=1']],
  ['確認はこちら→https://shop.example/verify?t=1', ['https://shop.example/verify?t=1']],
  ['url=https://shop.example/verify?t=1', ['https://shop.example/verify?t=1']],
  [
    'Verify: https://stage:pw@shop.example/verify?t=1',
    ['https://stage:pw@shop.example/verify?t=1'],
  ],
  ['Verify: http://shop_web:8080/verify?token=1', ['http://shop_web:8080/verify?token=1']],
  [
    'Verify: <https://shop.example/verify?\ntoken=abcdefghijklmnop>',
    ['https://shop.example/verify?token=abcdefghijklmnop'],
  ],
  ['请点击https://shop.example/verify?t=1完成验证', ['https://shop.example/verify?t=1']],
  ['こちらhttps://shop.example/verify?t=1を開いてください', ['https://shop.example/verify?t=1']],
  ['こちらhttps://shop.example/verify/abcを開いてください', ['https://shop.example/verify/abc']],
  ['여기를클릭https://shop.example/verify?t=1', ['https://shop.example/verify?t=1']],
  ['คลิกhttps://shop.example/verify?t=1', ['https://shop.example/verify?t=1']],
  ['Ссылка:https://shop.example/verify?t=1', ['https://shop.example/verify?t=1']],
  ['ссылкаhttps://shop.example/verify?t=1', ['https://shop.example/verify?t=1']],
  ['Link=>https://shop.example/verify?t=1', ['https://shop.example/verify?t=1']],
  ['Link →https://shop.example/verify?t=1', ['https://shop.example/verify?t=1']],
  ['👉https://shop.example/verify?t=1', ['https://shop.example/verify?t=1']],
  ['★https://shop.example/verify?t=1', ['https://shop.example/verify?t=1']],
  ['|https://shop.example/verify?t=1|', ['https://shop.example/verify?t=1']],
  ['$https://shop.example/verify?t=1', ['https://shop.example/verify?t=1']],
  ['href=https://shop.example/verify?t=1', ['https://shop.example/verify?t=1']],
  ['href="https://shop.example/verify?t=1"', ['https://shop.example/verify?t=1']],
  ['链接：https://shop.example/verify?t=1。', ['https://shop.example/verify?t=1']],
  ['「https://shop.example/verify?t=1」', ['https://shop.example/verify?t=1']],
  ['(https://shop.example/verify?t=1)', ['https://shop.example/verify?t=1']],
  [
    'Go https://shop.example/verify?u=https://b.example/x&t=1',
    ['https://shop.example/verify?u=https://b.example/x&t=1'],
  ],
  ['See https://ja.wikipedia.org/wiki/日本', ['https://ja.wikipedia.org/wiki/\u65e5\u672c']],
  ['git+https://github.com/a/b', []],
  [
    'Verify: <URL:https://shop.example/verify?\n   token=abcdefghijklmnop>',
    ['https://shop.example/verify?token=abcdefghijklmnop'],
  ],
  [
    '<https://shop.example/\nverify?token=abcdef\nghijklmnop>',
    ['https://shop.example/verify?token=abcdefghijklmnop'],
  ],
  [
    'Verify:\n<https://shop.example/verify?token=abcdefghijklmnop>',
    ['https://shop.example/verify?token=abcdefghijklmnop'],
  ],
  [
    '<https://shop.example/a>\n<https://shop.example/b>',
    ['https://shop.example/a', 'https://shop.example/b'],
  ],
  ['<https://shop.example/a\nis nice', ['https://shop.example/a']],
  [
    'https://stage:p%40ss@shop.example/verify?t=1',
    ['https://stage:p%40ss@shop.example/verify?t=1'],
  ],
  ['<https://user@shop.example/verify?t=1>', ['https://user@shop.example/verify?t=1']],
  [
    'Verify: https://stage:p!w$x@shop.example:8443/verify?t=1',
    ['https://stage:p!w$x@shop.example:8443/verify?t=1'],
  ],
  ['http://my_app.test/verify?t=1', ['http://my_app.test/verify?t=1']],
  ['(http://web_1.shop_default:3000/verify?t=1)', ['http://web_1.shop_default:3000/verify?t=1']],
  ['http://stage:pw@shop_web/verify?t=1.', ['http://stage:pw@shop_web/verify?t=1']],
  ['http://localhost:3000/verify?token=1', ['http://localhost:3000/verify?token=1']],
  ['http://127.0.0.1:3000/verify?token=1', ['http://127.0.0.1:3000/verify?token=1']],
  ['http://[::1]:3000/verify?token=1', ['http://[::1]:3000/verify?token=1']],
  ['_https://shop.example_', ['https://shop.example']],
  ['https://shop.example/', ['https://shop.example/']],
  [
    'http://user_name:pa_ss@shop.example/verify?t=1',
    ['http://user_name:pa_ss@shop.example/verify?t=1'],
  ],
  ['**https://shop.example/verify?t=1**', ['https://shop.example/verify?t=1']],
  ['https://shop.example/verify?t=1_', ['https://shop.example/verify?t=1_']],
];

describe('URLs in plain text', () => {
  for (const [text, urls] of TEXTS) {
    it(`${JSON.stringify(text)} has ${urls.join(' and ') || 'none'}`, () => {
      expect(extractFrom({ text }).links.map(({ url }) => url)).to.have.members(urls);
    });
  }

  it('over several lines are the main link as a whole', () => {
    const text = 'Verify your address: <https://shop.example/verify?\ntoken=Zk3x9QmP7LrT2vWc8YbN>';
    expect(extractFrom({ text }).link).to.equal(
      'https://shop.example/verify?token=Zk3x9QmP7LrT2vWc8YbN',
    );
  });

  it('with user information belong to the domain of their host', () => {
    const text =
      'Verify: https://stage:pw@shop.example/verify?t=1 or https://shop.example@evil.example/';
    const { links } = extractFrom({ text });
    expect(links.map(({ sameDomain }) => sameDomain)).to.deep.equal([true, false]);
  });
});
