/**
 * Finds the character set that an HTML or XML text declares for itself, which counts if its part
 * names none (RFC 2854 section 6, HTML standard "prescan a byte stream").
 */

const SEARCHED_BYTES = 4096;
const COMMENT = /<!--[^]*?(?:-->|$)/g;
const META = /<meta[\s/][^>]*/gi;
const CHARSET = /charset\s*=\s*(?:["']\s*)?([^\s"'/>;]+)/i;
const XML_DECLARATION = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)["']/i;

/** The declared label, or null. A text that can be searched is not in UTF-16. */
export function declaredInHtml(bytes: Buffer): string | null {
  const text = bytes.toString('latin1', 0, SEARCHED_BYTES);
  const xml = XML_DECLARATION.exec(text)?.[1];
  if (xml) return notWide(xml);
  for (const [meta] of text.replace(COMMENT, '').matchAll(META)) {
    const charset = CHARSET.exec(meta)?.[1];
    if (charset) return notWide(charset);
  }
  return null;
}

function notWide(label: string): string {
  return /^(?:utf-?16|ucs-?2|unicode)/i.test(label) ? 'utf-8' : label;
}
