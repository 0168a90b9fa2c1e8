/**
 * URLs in HTML that can name a part of the same mail: in the attributes `src` and `background`, in
 * `url()` of CSS, and `cid:` URLs (RFC 2392) anywhere.
 */

const PICTURE_URL =
  /(\b(?:src|background)\s*=\s*)(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))|(\burl\(\s*)(?:"([^"]*)"|'([^']*)'|([^\s"'()]+))(?=\s*\))|\bcid:[^"'\s()<>\\]+/gi;
const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));?/gi;
const CHARACTERS: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" },
};
/** Characters. Longer URLs are those of embedded content. */
const MAX_URL = 2048;
const MAX_URLS = 20_000;

/** The different URLs in the order of the HTML, of the first 20,000, as {@link urlIn} has them. */
export function pictureUrlsIn(html: string): Set<string> {
  const urls = new Set<string>();
  let left = MAX_URLS;
  for (const match of html.matchAll(PICTURE_URL)) {
    const url = urlIn(valueIn(match).value);
    if (url !== null) urls.add(url);
    left -= 1;
    if (left === 0) break;
  }
  return urls;
}

/** @param replacement the URL in place of this one; null to keep it. */
export function replacePictureUrls(
  html: string,
  replacement: (url: string) => string | null,
): string {
  return html.replace(PICTURE_URL, (...match: (string | undefined)[]) => {
    const { before, quote, value } = valueIn(match);
    const url = urlIn(value);
    const replaced = url === null ? null : replacement(url);
    return replaced === null ? (match[0] ?? '') : before + quote + replaced + quote;
  });
}

/**
 * The names of parts that a URL can mean. Senders write an identifier with percent-encoding (RFC
 * 2392 section 2), or as it is.
 */
export function namesIn(url: string): string[] {
  const name = url.replace(/^cid:/i, '').replace(/^<(.*)>$/, '$1');
  const plain = partName(decoded(name));
  return plain === name ? [name] : [name, plain];
}

/** The name of a part: its Content-ID or Content-Location without whitespace. */
export function partName(contentId: string): string {
  return contentId.replace(/\s+/g, '');
}

/** Without percent-encoding; unchanged if that is malformed. */
export function decoded(url: string): string {
  if (!url.includes('%')) return url;
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

/** What precedes the URL, its quote, and the URL as the HTML has it. */
function valueIn(match: readonly (string | undefined)[]) {
  const [whole = '', attribute, a, b, c, css, d, e, f] = match;
  const quote = (a ?? d) !== undefined ? '"' : (b ?? e) !== undefined ? "'" : '';
  return { before: attribute ?? css ?? '', quote, value: a ?? b ?? c ?? d ?? e ?? f ?? whole };
}

/** A URL without character references, whitespace and quotes; null if it is too long. */
function urlIn(value: string): string | null {
  if (value.length > MAX_URL) return null;
  const text = value.includes('&') ? value.replace(REFERENCE, character) : value;
  return text.replace(/\s+/g, '').replace(/^(["'])(.*)\1$/, '$2');
}

function character(_reference: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return CHARACTERS[name.toLowerCase()] ?? '';
  const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}
