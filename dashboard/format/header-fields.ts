import { decodeWords } from './encoded-words.ts';

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
