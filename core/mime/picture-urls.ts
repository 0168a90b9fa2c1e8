/**
 * URLs in HTML that name a part of the same mail: `cid:` URLs (RFC 2392), and the value of an
 * attribute that is the Content-Location of a part (RFC 2557 section 4.2).
 */

/** A `cid:` URL that fills an attribute can contain blanks; one anywhere else cannot. */
const PICTURE_URL =
  /(["'])\s*cid:([^"'<>]*)\1|\bcid:([^"'\s()<>\\]+)|(?<=\b(?:src|background)=)(["'])([^"'<>]*)\4/gi;
const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|amp);/gi;

/** The names in the order of the HTML. Each can be the {@link partName} of a part. */
export function partNamesIn(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(PICTURE_URL), ([, ...groups]) => nameIn(groups)));
}

/** @param replacement the URL in place of one with this name; null to keep it */
export function replacePartUrls(
  html: string,
  replacement: (name: string) => string | null,
): string {
  return html.replace(PICTURE_URL, (written: string, ...groups: (string | undefined)[]) => {
    const url = replacement(nameIn(groups));
    if (url === null) return written;
    const quote = groups[0] ?? groups[3] ?? '';
    return quote + url + quote;
  });
}

/** The name of a part in URLs: its Content-ID or Content-Location without whitespace. */
export function partName(contentId: string): string {
  return contentId.replace(/\s+/g, '');
}

/** The name in a match, without whitespace, percent-encoding and character references. */
function nameIn(groups: (string | undefined)[]): string {
  const name = (groups[1] ?? groups[2] ?? groups[4] ?? '').replace(REFERENCE, character);
  try {
    return partName(decodeURIComponent(name));
  } catch {
    return partName(name);
  }
}

function character(_reference: string, decimal?: string, hex?: string): string {
  const code = decimal === undefined ? parseInt(hex ?? '26', 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}
