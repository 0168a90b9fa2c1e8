/** Reads header fields: unfolded, and with encoded words (RFC 2047) decoded. */
import { readHeaderBlock, withLineFeeds } from '../mime/canonical/header-block.ts';
import { hintOf } from '../mime/canonical/mail-header.ts';
import { type MimePart, leavesOf } from '../mime/canonical/part.ts';
import { readStructure } from '../mime/canonical/structure.ts';
import { decodeEncodedWords, rawInUtf8 } from '../mime/words.ts';

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
  const hint = hintOf(fields, () => leavesIn(raw));
  return fields.map(({ name, value }) => ({
    name,
    value: decodeEncodedWords(rawInUtf8(value, hint)),
  }));
}

function leavesIn(raw: Buffer): MimePart[] {
  try {
    return leavesOf(readStructure(raw).root);
  } catch {
    return []; // of a header above its limit
  }
}
