/** Parts of about 256 KiB that make careless patterns slow. */
const SIZE = 256 * 1024;

function fill(piece: string, size = SIZE): string {
  return piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
}

export const HOSTILE_TEXTS: Record<string, string> = {
  digits: fill('1'),
  'spaced digits': fill('1 '),
  'hyphenated digits': fill('12-'),
  codes: fill('Your code is 482913 '),
  'code lines': fill('code\n482913\n'),
  letters: fill('A'),
  'letters and hyphens': fill('A1-'),
  spaces: fill(' '),
  'line feeds': fill('\n'),
  quotes: fill('> '),
  'at signs': fill('a@'),
  dots: fill('1.'),
  plus: fill('+1 ('),
  urls: fill('https://shop.example/verify?token=a1b2c3d4e5f6g7h8 '),
  'one URL': `https://shop.example/${fill('a')}`,
  'URL starts': fill('http://'),
  'URL brackets': `https://a.example/${fill('(')}`,
  keywords: fill('verification code '),
  'half keywords': fill('verificatio'),
  'combining marks': fill('e\u0301\u0323'),
  'foreign digits': fill('٤٨'),
  surrogates: fill('\ud83d'),
  'origin lines': fill('@a.example #1234\n'),
};

export const HOSTILE_PAGES: Record<string, string> = {
  'deep elements': fill('<b>'),
  'deep elements with other ends': fill('<i>', SIZE / 2) + fill('</b>', SIZE / 2),
  'deep divs': fill('<div>'),
  'tag starts': fill('<'),
  'open attribute': `<a href="${fill('x')}`,
  attributes: `<a ${fill('a=1 ')}>`,
  styles: `<p style="${fill('font-size:0;')}">x</p>`,
  anchors: fill('<a href="https://shop.example/verify">verify</a>'),
  'open anchors': fill('<a href=x>'),
  comments: fill('<!--'),
  entities: fill('&amp;#'),
  cells: fill('<td>1</td>'),
  spans: fill('<span>1</span>'),
  breaks: fill('1<br>'),
  scripts: fill('<script type="application/ld+json">[{"@type":"ViewAction"}]</script>'),
  'deep JSON': `<script type="application/ld+json">${fill('[')}</script>`,
  'hidden text': fill('<i hidden>1234 </i>'),
  quotations: fill('<blockquote>code 1234'),
  forms: fill('<form>'),
  paragraphs: fill('<p>Your code 123456'),
  'one paragraph': `<p>${fill('<b>code</b> 123456 ')}`,
};
