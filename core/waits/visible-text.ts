/**
 * The text of an HTML mail as a reader sees it. Blocks and table cells end a line. The input is read
 * once from start to end, so hostile mail takes no longer than other mail.
 */

/** Elements whose content is not shown. */
const UNSHOWN = new Set(['head', 'style', 'script', 'template', 'title', 'svg']);
/** Elements with a content that is not HTML. */
const RAW = new Set(['style', 'script', 'title']);
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
const LINES = new Set(
  (
    'address article aside blockquote br center dd div dl dt fieldset figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody td th thead tr ul'
  ).split(' '),
);
const TAG = /<(\/?)([a-z][^\s/>]*)/iy;
const HIDING =
  /display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|max-height\s*:\s*0(?![.\d])/i;
const STYLE = /\sstyle\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/i;
const HIDDEN = /\shidden(?=[\s=/]|$)/i;

export function visibleText(html: string): string {
  let text = '';
  /** The element that hides the current place, and how deep elements of its name are nested. */
  let hider = '';
  let depth = 0;
  for (let at = 0; at < html.length;) {
    const lt = html.indexOf('<', at);
    const end = lt < 0 ? html.length : lt;
    if (hider === '') text += html.slice(at, end);
    if (lt < 0) break;
    at = lt + 1;
    if (html.startsWith('!', at) || html.startsWith('?', at)) {
      at = after(html, html.startsWith('!--', at) ? '-->' : '>', at);
      continue;
    }
    TAG.lastIndex = lt;
    const [, slash, spelling = ''] = TAG.exec(html) ?? [];
    if (slash === undefined) {
      if (hider === '') text += '<';
      continue;
    }
    const name = spelling.toLowerCase();
    const close = tagEnd(html, lt);
    const attributes = html.slice(lt + 1 + slash.length + name.length, close);
    at = close + 1;
    if (hider === 'head' && name === 'body') hider = ''; // the end tag of head is optional
    if (hider !== '') {
      if (name === hider) depth += slash === '' ? 1 : -1;
      if (depth === 0) hider = '';
    } else if (slash === '' && !VOID.has(name) && (UNSHOWN.has(name) || isHidden(attributes))) {
      [hider, depth] = [name, 1];
    }
    if (slash === '' && RAW.has(name)) at = rawEnd(html, name, at);
    if (LINES.has(name)) text += '\n';
  }
  return decodeEntities(text);
}

function isHidden(attributes: string): boolean {
  const [, style = ''] = STYLE.exec(attributes) ?? [];
  return HIDING.test(style) || HIDDEN.test(attributes.replace(/"[^"]*"|'[^']*'/g, ''));
}

function after(html: string, end: string, from: number): number {
  const at = html.indexOf(end, from);
  return at < 0 ? html.length : at + end.length;
}

/** The `>` of a tag; one within quotes does not count. The end of the text if there is none. */
function tagEnd(html: string, from: number): number {
  let quote = '';
  for (let at = from; at < html.length; at += 1) {
    const char = html.charAt(at);
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '>') return at;
    else if ((char === '"' || char === "'") && /[=\s]/.test(html.charAt(at - 1))) quote = char;
  }
  return html.length;
}

function rawEnd(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

/** Entities of U+00A0 to U+00FF in their order (HTML, named character references). */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn ' +
  'sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave ' +
  'Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ' +
  'ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN ' +
  'szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute ' +
  'icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml ' +
  'yacute thorn yuml';
const ENTITIES = new Map<string, string>([
  ...Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", euro: '€', trade: '™' }),
  ...Object.entries({ ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”' }),
  ...Object.entries({
    hellip: '…',
    bull: '•',
    zwnj: '\u200c',
    zwj: '\u200d',
    ensp: ' ',
    emsp: ' ',
  }),
  ...LATIN.split(' ').map((name, n) => [name, String.fromCharCode(0xa0 + n)] as const),
]);

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}\d{0,2}));/gi,
    (all, ...parts) => {
      const [decimal, hex, name] = parts as (string | undefined)[];
      if (name !== undefined) return ENTITIES.get(name) ?? all;
      const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}
