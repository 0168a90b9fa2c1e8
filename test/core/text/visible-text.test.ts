import { expect } from 'chai';
import { visibleText } from '../../../core/text/visible-text.ts';
import { HOSTILE_PAGES } from '../extraction/hostile.ts';

describe('visible text of HTML', () => {
  const samples: [html: string, text: string][] = [
    ['plain', 'plain'],
    ['<p>One</p><p>two</p>', 'One\n\ntwo'],
    ['<div>One</div><div>two</div>', 'One\ntwo'],
    ['<tr><td>842526</td><td>Dieser</td>', '842526\nDieser'],
    ['<b>482</b><i>913</i>', '482913'],
    ['a<br>b<br><br>c', 'a\nb\n\nc'],
    ['<div>a</div><div><br></div><div>b</div>', 'a\n\nb'],
    [' <p>\n one\r\n  two&nbsp;\u3000three </p> ', 'one two three'],
    ['<pre>\na  b\n\n  c\n</pre>', 'a  b\n\n  c'],
    [
      '<div style="white-space: pre-wrap">a\nb <i style="white-space:normal">c\nd</i></div>',
      'a\nb c\nd',
    ],
    ['<head><title>t</title></head><body>b', 'b'],
    ['<head><meta charset=utf-8><body>no end of head', 'no end of head'],
    ['<style>p > a {}</style>s<script>if (a<b) "</p>"</script>t', 'st'],
    ['<!-- <p>comment</p> -->after<!--[if mso]>old<![endif]-->', 'after'],
    ['a<iframe src=x><p>no frames</p></iframe>b', 'a\nb'],
    ['<![if !mso]>shown<![endif]>', 'shown'],
    ['<div style="display: none">a<div>b</div>c</div>d', 'd'],
    ["<span style='x:y;visibility:hidden'>a</span>b", 'b'],
    ['<p style="font-size:0">a<b style="font-size:12px">b</b></p>', 'b'],
    ['<p hidden>a</p><p data-x="hidden">b</p>', 'b'],
    ['<p style="max-height:0.5em">a</p><p style="mso-hide:all">b</p>', 'a'],
    ['<img alt="a > b" src=x>c <a href="https://x.test/">d</a>', 'c d'],
    ['Fish &amp; chips &#x41;&#66; &nbsp;&euml; &unknown;', 'Fish & chips AB ë &unknown;'],
    ['1 < 2', '1 < 2'],
    ['4\u200b8&shy;2', '482'],
    [
      'a &zwnj;&nbsp;&zwnj;&nbsp;\u034f b می\u200cخواهم \u{1f469}\u200d\u{1f4bb}',
      'a b می\u200cخواهم \u{1f469}\u200d\u{1f4bb}',
    ],
    ['٤٨٢ – ½', '٤٨٢ – ½'],
    ['open <a href="x', 'open'],
    ['', ''],
  ];
  for (const [html, text] of samples) {
    it(`of ${html}`, () => {
      expect(visibleText(html)).to.equal(text);
    });
  }

  it('is read at any depth of elements', () => {
    const html = `${'<font>'.repeat(2500)}a<p hidden>${'<i>'.repeat(900)}b`;
    expect(visibleText(`${html}</p>${'</font>'.repeat(2500)}<style>c</style>`)).to.equal('a');
    expect(visibleText(`${'<div><style>x</style>'.repeat(2500)}a`)).to.equal('a');
  });

  it('is read up to a length', () => {
    expect(visibleText('<p>one</p><p>two</p>', 10)).to.equal('one');
  });

  it('takes time in proportion to the length of hostile HTML', () => {
    for (const [name, html] of Object.entries(HOSTILE_PAGES)) {
      const before = process.cpuUsage();
      visibleText(html);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000, name).to.be.below(2000); // a quadratic reader takes half a minute
    }
  });
});
