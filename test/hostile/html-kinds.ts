/** HTML of a sender: a form that is repeated, or what makes a given number of bytes. */
const pairs = (open: string, close: string) => (n: number) => {
  const count = Math.floor(n / (open.length + close.length));
  return `${open.repeat(count)}x${close.repeat(count)}`;
};
const inside = (before: string, form: string, after: string) => (n: number) =>
  `${before}${form.repeat(Math.floor(n / form.length))}${after}`;

export const HTML_KINDS: Record<string, string | ((bytes: number) => string)> = {
  'nested elements': pairs('<div>', '</div>'),
  'nested tables': pairs('<table><tr><td>', '</td></tr></table>'),
  'nested lists': pairs('<ul><li>', '</li></ul>'),
  'nested links': pairs('<a href="https://x.test/verify">', '</a>'),
  'nested quotes': pairs('<blockquote>', '</blockquote>'),
  'unclosed elements': '<b>',
  'unclosed tags': '<a ',
  'unopened elements': '</p>',
  'open brackets': '<',
  'attributes of one element': inside('<p ', 'a=b ', '>x'),
  'one long attribute': inside('<p title="', 'a ', '">x'),
  'open quote of an attribute': inside('<p title="', '<p>', ''),
  entities: '&amp;&#65;&lt;',
  'open entities': '&amp',
  'long number': inside('&#', '1', ';'),
  comments: '<!-- a -->',
  'open comments': '<!--',
  'one long comment': inside('<!-- ', '-', 'x'),
  'style elements': '<style>p{color:red}</style>',
  'rules of one style': inside('<style>', 'p{color:red}', '</style>'),
  'open style': inside('<style>', '@media{', ''),
  'style attributes': '<p style="display:none;color:red">x</p>',
  'rows of a table': inside('<table>', '<tr><td>a<td>b', '</table>'),
  'cells of a row': inside('<table><tr>', '<td>a', '</table>'),
  'data: pictures': '<img src="data:image/png;base64,AAAA">',
  'cid: pictures': '<img src="cid:a@x">',
  'remote pictures': '<img src="https://x.test/a.png" srcset="a.png 1x, b.png 2x">',
  'open picture': inside('<img src="data:image/png;base64,', 'A', ''),
  links: '<a href="https://x.test/verify?t=1">verify</a> ',
  'link texts of codes': '<a href="/a">code 482913</a>',
  'codes in elements': '<b>4</b><b>8</b>',
  'hidden codes': '<p hidden>Your code is 482913</p>',
  'quoted replies': '<div class="gmail_quote">On 1 Jan wrote:</div>',
  'scripts and templates': '<script>a</script><template>b</template>',
  'open CDATA': '<![CDATA[',
  'foreign elements': '<svg><math>',
  forms: '<form><input><select><option>',
  'meta charset': '<meta charset=x>',
  'base elements': '<base href="https://x.test/">',
  'line breaks': '<br>',
};
