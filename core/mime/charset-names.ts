/**
 * Names of character sets: the labels of the WHATWG Encoding Standard, those of iconv-lite, and the
 * aliases below.
 */
import iconv from 'iconv-lite';

/** Names of US-ASCII (IANA). Bytes above 0x7F contradict such a label, so it says nothing. */
const ASCII =
  /^(?:us-?ascii|ascii|us|csascii|646|(?:ansi_)?x3\.4-19(?:68|86)|iso-?ir-?6|cp-?367|ibm-?367|iso-?646-?us|iso_646\.irv:1991|7-?bit)$/;

/** Names without a meaning: senders write them for "not known". */
const UNKNOWN =
  /^(?:x-)?(?:unknown(?:-?8bit)?|user-defined|binary|none|null|undefined|default|8-?bit|_autodetect.*)?$/;

/** Names that are not WHATWG labels. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'x-utf-8': 'utf-8',
    cp65001: 'utf-8',
    cp50220: 'iso-2022-jp',
    cp50221: 'iso-2022-jp',
    cp50222: 'iso-2022-jp',
    'iso-2022-jp-1': 'iso-2022-jp',
    'iso-2022-jp-2': 'iso-2022-jp',
    'iso-2022-jp-3': 'iso-2022-jp',
    'iso-2022-jp-2004': 'iso-2022-jp',
    'iso-2022-jp-ms': 'iso-2022-jp',
    iso2022jp: 'iso-2022-jp',
    iso2022jp2: 'iso-2022-jp',
    jis: 'iso-2022-jp',
    cp932: 'shift_jis',
    'windows-932': 'shift_jis',
    'x-ms-cp932': 'shift_jis',
    'shift-jisx0213': 'shift_jis',
    'windows-31j': 'shift_jis',
    windows31j: 'shift_jis',
    'sjis-win': 'shift_jis',
    cp943c: 'shift_jis',
    'eucjp-ms': 'euc-jp',
    'eucjp-win': 'euc-jp',
    'extended-unix-code-packed-format-for-japanese': 'euc-jp',
    cp51932: 'euc-jp',
    eucjp: 'euc-jp',
    uhc: 'euc-kr',
    cp949: 'euc-kr',
    ms949: 'euc-kr',
    'x-windows-949': 'euc-kr',
    euckr: 'euc-kr',
    cp936: 'gbk',
    ms936: 'gbk',
    'windows-936': 'gbk',
    'gb-2312': 'gbk',
    'gb2312-80': 'gbk',
    'euc-cn': 'gbk',
    euccn: 'gbk',
    gb18030: 'gb18030',
    'gb-18030': 'gb18030',
    cp54936: 'gb18030',
    cp950: 'big5',
    'windows-950': 'big5',
    'big5-eten': 'big5',
    'x-mac-roman': 'macintosh',
    macroman: 'macintosh',
    'mac-cyrillic': 'x-mac-cyrillic',
    maccyrillic: 'x-mac-cyrillic',
    'hz-gb-2312': 'hz',
    'unicode-1-1-utf-7': 'utf-7',
    utf7: 'utf-7',
    'x-utf-7': 'utf-7',
    'utf-7-imap': 'utf-7',
    csiso2022kr: 'iso-2022-kr',
    utf16: 'utf-16',
    'iso-10646-ucs-2': 'ucs-2',
    'unicode-1-1': 'ucs-2',
    ibm00858: 'cp858',
  }),
);

/** WHATWG labels that iconv-lite has no name for. */
const FURTHER_LABELS = new Set([
  ...['unicode20utf8', 'x-unicode20utf8', 'csiso88596e', 'csiso88596i', 'iso-8859-6-e'],
  ...['iso-8859-6-i', 'sun_eu_greek', 'csiso88598e', 'visual', 'csiso88598i', 'logical'],
  ...['csisolatin9', 'koi', 'koi8', 'x-mac-roman', 'dos-874', 'x-cp1250', 'x-cp1251'],
  ...['x-cp1252', 'x-cp1253', 'x-cp1254', 'x-cp1255', 'x-cp1256', 'x-cp1257', 'x-cp1258'],
  ...['x-mac-cyrillic', 'x-mac-ukrainian', 'cseucpkdfmtjapanese', 'x-euc-jp', 'csiso2022jp'],
  ...['iso-2022-jp', 'unicodefffe', 'csunicode', 'iso-10646-ucs-2', 'unicode', 'unicodefeff'],
]);

/** What iconv-lite ignores in a name. */
const IGNORED = /:\d{4}$|[^0-9a-z]/g;
const START = /^[\s"'=]+/;
const EDGE = /[\s"';,]/;

/**
 * The name of a character set in one spelling; null if the label is US-ASCII or without a meaning,
 * so that the bytes decide.
 */
export function nameOf(label: string): string | null {
  const name = trimmed(label.toLowerCase());
  if (ASCII.test(name) || UNKNOWN.test(name)) return null;
  // IANA's names for programs are `cs` before another name; WHATWG labels are some of them.
  const bare = ALIASES.has(name) || isKnownName(name) ? name : name.replace(/^cs/, '');
  const dashed = bare.replace(/^(?:win|cp|windows)[-_ ]?(125\d|874)$/, 'windows-$1');
  return ALIASES.get(dashed) ?? ALIASES.get(dashed.replaceAll('_', '-')) ?? dashed;
}

/**
 * Whether `TextDecoder` or iconv-lite can have a decoder. Both refuse a name with an error, which
 * takes ten times as long as this, and mail can make up a name for each word.
 *
 * @param name in lower case.
 */
export function isKnownName(name: string): boolean {
  return FURTHER_LABELS.has(name) || iconvNames().has(name.replace(IGNORED, ''));
}

let knownToIconv: ReadonlySet<string> | null = null;

function iconvNames(): ReadonlySet<string> {
  if (knownToIconv === null) {
    iconv.encodingExists('utf-8'); // loads the names
    knownToIconv = new Set(Object.keys(iconv.encodings ?? {}));
  }
  return knownToIconv;
}

/** A pattern for the end would take quadratic time for many blanks. */
function trimmed(label: string): string {
  const text = label.replace(START, '');
  let end = text.length;
  while (end > 0 && EDGE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
