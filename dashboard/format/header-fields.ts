export interface HeaderField {
  name: string;
  value: string;
}

/** Returns the header fields of a raw mail, unfolded (RFC 5322 section 2.2.3) and decoded. */
export function headerFields(raw: string): HeaderField[] {
  const header = raw.split(/\r?\n\r?\n/, 1)[0] ?? '';
  const lines = header.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  return lines.flatMap((line) => {
    const colon = line.indexOf(':');
    if (colon < 1) return [];
    return { name: line.slice(0, colon).trim(), value: decodeWords(line.slice(colon + 1).trim()) };
  });
}

/** Encoded words in header fields (RFC 2047), for example `=?utf-8?Q?Gr=C3=BC=C3=9Fe?=`. */
const WORD = /=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi;
/** Whitespace between adjacent encoded words is not part of the text (RFC 2047 section 6.2). */
const BETWEEN = /(\?=)\s+(?==\?)/g;

function decodeWords(text: string): string {
  return text
    .replace(BETWEEN, '$1')
    .replace(WORD, (word, charset: string, encoding: string, coded: string) => {
      try {
        const bytes = encoding.toLowerCase() === 'b' ? fromBase64(coded) : fromQ(coded);
        return new TextDecoder(charset).decode(bytes);
      } catch {
        return word;
      }
    });
}

function fromBase64(coded: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(coded), (letter) => letter.charCodeAt(0));
}

function fromQ(coded: string): Uint8Array<ArrayBuffer> {
  const letters = coded
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}
