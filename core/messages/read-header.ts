/** Reads header fields: unfolded, and with encoded words (RFC 2047) decoded. */
import type { MessageAndMail } from '../../db/statements/messages.ts';
import { readHeaderBlock, withLineFeeds } from '../mime/canonical/header-block.ts';
import { hintOf } from '../mime/canonical/mail-header.ts';
import { type MimePart, leavesOf } from '../mime/canonical/part.ts';
import { readStructure } from '../mime/canonical/structure.ts';
import type { Task } from '../mime/task.ts';
import { decodeEncodedWords, rawInUtf8 } from '../mime/words.ts';

export interface HeaderField {
  /** In the original spelling. */
  name: string;
  value: string;
}

interface HeaderInput {
  /** The start of a mail. */
  raw: Buffer;
  /** Whether the values are listed by the canonical names. */
  byName: boolean;
}

/** The fields of a header as JSON. */
export const headersJson: Task<HeaderInput, Buffer> = {
  name: 'headersJson',
  sizeOf: ({ raw }) => raw.length,
  inlineSize: 16 * 1024,
  run({ raw, byName }) {
    const headers = headerFields(raw);
    return Buffer.from(JSON.stringify(byName ? valuesByName(headers) : { headers }));
  },
};

function valuesByName(headers: HeaderField[]): Record<string, string[]> {
  const values = Object.create(null) as Record<string, string[]>;
  for (const { name, value } of headers) (values[canonicalName(name)] ??= []).push(value);
  return values;
}

/** As Go writes names (`CanonicalMIMEHeaderKey`), in which Mailpit is written: `Message-Id`. */
function canonicalName(name: string): string {
  return name.toLowerCase().replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

interface NamedFieldsInput {
  raw: Buffer;
  /** In lower case. */
  names: string[];
}

/** The first value of each name; null without such a field. */
export const firstValues: Task<NamedFieldsInput, (string | null)[]> = {
  name: 'firstValues',
  sizeOf: ({ raw }) => raw.length,
  inlineSize: 16 * 1024,
  run: ({ raw, names }) => valuesOf(raw, names),
};

/** As {@link firstValues}. */
export function valuesOf(raw: Buffer, names: string[]): (string | null)[] {
  const fields = headerFields(raw);
  return names.map(
    (asked) => fields.find(({ name }) => name.toLowerCase() === asked)?.value ?? null,
  );
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

/** The recipients of a message: the To header of its mail, or else its envelope recipient. */
export function shownRecipients({ message, mail }: MessageAndMail): string[] {
  return mail.to.length > 0 ? mail.to : [message.recipient];
}
