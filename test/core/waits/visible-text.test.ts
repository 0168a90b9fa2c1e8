import { expect } from 'chai';
import { foldText } from '../../../core/waits/fold-text.js';
import { visibleText } from '../../../core/waits/visible-text.js';

const shown = (html: string) => foldText(visibleText(html));

describe('visible text of HTML', () => {
  const samples: [html: string, text: string][] = [
    ['plain', 'plain'],
    ['<p>One</p><p>two</p>', 'one two'],
    ['<td>842526</td><td>Dieser</td>', '842526 dieser'],
    ['<b>482</b><i>913</i>', '482913'],
    ['a<br>b', 'a b'],
    ['<head><title>t</title></head><body>b', 'b'],
    ['<head><meta charset=utf-8><body>no end of head', 'no end of head'],
    ['<style>p > a {}</style>s<script>if (a<b) "</p>"</script>t', 'st'],
    ['<!-- <p>comment</p> -->after', 'after'],
    ['<div style="display: none">a<div>b</div>c</div>d', 'd'],
    ["<span style='x:y;visibility:hidden'>a</span>b", 'b'],
    ['<p hidden>a</p><p data-x="hidden">b</p>', 'b'],
    ['<p style="max-height:0.5em">a</p>', 'a'],
    ['<img alt="a > b" src=x>c', 'c'],
    ['Fish &amp; chips &#x41;&#66; &nbsp;&euml; &unknown;', 'fish & chips ab ë &unknown;'],
    ['1 < 2', '1 < 2'],
    ['4\u200b8&shy;2', '482'],
    ['open <a href="x', 'open'],
  ];
  for (const [html, text] of samples) {
    it(`of ${html}`, () => {
      expect(shown(html)).to.equal(text);
    });
  }

  it('takes time in proportion to the length of hostile HTML', () => {
    const hostile = ['<a "', '<!--', '<script>', '<p style="', '&#', '<div hidden>', '<'];
    const began = performance.now();
    for (const part of hostile) visibleText(part.repeat(1_000_000 / part.length));
    expect(performance.now() - began).to.be.below(5000);
  });
});
