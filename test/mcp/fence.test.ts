import { portionOf } from '../../core/text/shown-lines.ts';
import { expect } from 'chai';
import { shownText } from '../../core/text/shown-text.ts';
import { escapeStart, escapeWords, Fence, plainUrl } from '../../api/mcp/fence.ts';

describe('the words of a sender', () => {
  it('keep letters, and show what has no shape as \\u{...}', () => {
    expect(escapeWords('Grüße, 世界 🎉 a@b.test')).to.equal('Grüße, 世界 🎉 a@b.test');
    expect(escapeWords('a\u200bb\u202ec\u{e0041}\u0000\u2028\ufe0f')).to.equal(
      'a\\u{200b}b\\u{202e}c\\u{e0041}\\u{0}\\u{2028}\\u{fe0f}',
    );
    expect(escapeWords('\ud800')).to.equal('\\u{d800}');
    expect(escapeWords('say "\\u{200b}"\t')).to.equal('say \\"\\\\u{200b}\\"\\t');
  });

  it('lose links and pictures', () => {
    expect(escapeWords('![a](https://x.test) <b> www.x.test `c`')).to.equal(
      '!\\u{5b}a\\u{5d}(https\\u{3a}//x.test) \\u{3c}b\\u{3e} www\\u{2e}x.test \\u{60}c\\u{60}',
    );
  });

  it('are cut between characters, where they are escaped too', () => {
    expect(escapeStart('ab\u200bc', 9)).to.deep.equal({ escaped: 'ab', taken: 2 });
    expect(escapeStart('ab\u200bc', 10)).to.deep.equal({ escaped: 'ab\\u{200b}', taken: 3 });
    expect(escapeStart('🎉🎉', 3)).to.deep.equal({ escaped: '🎉', taken: 2 });
  });

  it('are fenced line by line, with another fence each time', () => {
    const [one, two] = [new Fence(), new Fence()];
    expect(one.id)
      .to.match(/^[0-9a-f]{32}$/)
      .and.not.equal(two.id);
    expect(one.lines).to.be.empty;
    one.add('subject', 'Hello\nagain', 7);
    expect(one.addLines('text', portionOf('a\r\n\n\rb', 0))).to.equal(null);
    expect(one.lines).to.deep.equal([
      `${one.id} subject: "Hello" (cut)`,
      `${one.id} text: "a"`,
      `${one.id} text: "b"`,
    ]);
  });

  it('are 4,000 characters and 200 lines of an answer, and the rest follows', () => {
    for (const text of [
      'x'.repeat(9000),
      '<'.repeat(9000),
      'y\n'.repeat(900),
      '🎉 '.repeat(3000),
    ]) {
      let shown = '';
      let at: number | null = 0;
      for (let calls = 0; at !== null; calls += 1) {
        expect(calls).to.be.below(30);
        const fence = new Fence();
        at = fence.addLines('text', portionOf(text, at));
        const words = fence.lines.map(
          (line) => /^\w+ text: "(.*)"(?: \(cut\))?$/.exec(line)?.[1] ?? 'none',
        );
        expect(words.join('').length).to.be.at.most(4000);
        expect(words.length).to.be.at.most(200);
        shown += words.join('');
      }
      expect(shown).to.equal(escapeWords(text.replaceAll('\n', '')));
    }
  });
});

describe('the text of HTML for its reader', () => {
  it('is what is visible, in lines', () => {
    const html =
      '<title>T</title><style>p{}</style><p>One <b>two</b></p><table><td>a<td>b</table>x<br>y &lt;z&gt;<!-- no -->';
    expect(shownText(html)).to.deep.equal({
      text: 'One two\na\nb\nx\ny <z>',
      hiddenCharacters: 0,
      truncated: false,
    });
  });

  it('leaves out what is hidden, and counts it', () => {
    const hidden = [
      '<p hidden>four</p>',
      '<div style="display:none"><b>four</b></div>',
      '<span style="visibility: hidden">four</span>',
      '<span style="font-size:0">four</span>',
      '<div style="max-height:0px">four</div>',
      '<div style="MSO-HIDE: all">four</div>',
    ];
    const { text, hiddenCharacters } = shownText(`<p>seen</p>${hidden.join('\n')}`);
    expect({ text, hiddenCharacters }).to.deep.equal({ text: 'seen', hiddenCharacters: 24 });
  });

  it('is read at any depth, and cut at 1 MiB', () => {
    const deep = shownText(`${'<div>'.repeat(1000)}end`);
    expect(deep).to.deep.equal({ text: 'end', hiddenCharacters: 0, truncated: false });
    const long = shownText(`<p>${'x'.repeat(2 ** 20)}</p>`);
    expect(long.truncated).to.equal(true);
    expect(long.text).to.match(/^x+$/);
  });
});

describe('the URL of a link', () => {
  it('is in ASCII without characters of Markdown', () => {
    expect(plainUrl('https://münchen.test/a](b)?c=[d]&e=é')).to.equal(
      'https://xn--mnchen-3ya.test/a%5D%28b%29?c=%5Bd%5D&e=%C3%A9',
    );
    expect(plainUrl('https://app.example/verify?t=Zk3_x-9&u=a%20b#c')).to.equal(
      'https://app.example/verify?t=Zk3_x-9&u=a%20b#c',
    );
  });

  it('is null unless it is short, HTTP and without a user name', () => {
    for (const url of [
      'javascript:alert(1)',
      'https://a@b.test/',
      'no',
      `https://a.test/${'x'.repeat(2048)}`,
    ]) {
      expect(plainUrl(url), url).to.equal(null);
    }
  });
});
