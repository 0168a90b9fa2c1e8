/** Reads header fields: unfolded, and with encoded words (RFC 2047) decoded. */
import { readHeaderBlock, withLineFeeds } from '../mime/canonical/header-block.ts';
import { decodeEncodedWords } from '../mime/words.ts';

export interface HeaderField {
  /** In the original spelling. */
  name: string;
  value: string;
}

/**
 * The fields of a mail in order, up to the first empty line. Lines that are not fields are omitted.
 */
export function headerFields(raw: Buffer): HeaderField[] {
  const { fields } = readHeaderBlock(withLineFeeds(raw), { start: 0, end: raw.length });
  return fields.map(({ name, value }) => ({ name, value: decodeEncodedWords(value) }));
}
