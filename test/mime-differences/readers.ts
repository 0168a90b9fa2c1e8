/** Mayfly, and the programs that read the same mails. What a program cannot read is empty. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type AddressObject, simpleParser } from 'mailparser';
import PostalMime from 'postal-mime';
import { parseMail } from '../../core/mime/parse-mail.ts';
import { FULL_LIMITS } from '../../core/mime/parse-limits.ts';
import { parseMime } from '../../core/mime/read-mime.ts';
import { type Read, type Reading, readingOf } from './reading.ts';

/** The names are those of `parseMime`: `parseMail` names what has no name. */
export async function readWithMayfly(raw: Buffer): Promise<Reading> {
  const { subject, from, to, text, html, facts } = await parseMail(raw);
  const { attachments } = await parseMime(raw, FULL_LIMITS);
  return readingOf({
    ...{ subject, from: from?.address, to, date: facts.date, text, hasHtml: html !== null },
    attachments: attachments.map(({ filename, content }) => ({
      name: filename,
      size: content.length,
    })),
  });
}

/** `simpleParser` gives the present time for a date that it cannot read. */
const BEGAN = new Date();

/** `simpleParser` itself, without what it derives from text and HTML. */
export async function readWithMailparser(raw: Buffer): Promise<Reading> {
  const options = { skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true };
  const { subject, from, to, date, text, html, attachments } = await simpleParser(raw, options);
  return readingOf({
    ...{ subject, from: addresses(from)[0], to: addresses(to) },
    ...{ date: date && date < BEGAN ? date : null, text, hasHtml: Boolean(html) },
    attachments: attachments.map(({ filename, size }) => ({ name: filename, size })),
  });
}

function addresses(field: AddressObject | AddressObject[] | undefined): string[] {
  return [field ?? []]
    .flat()
    .flatMap(({ value }) => value)
    .flatMap((person) => person.group ?? [person])
    .flatMap(({ address }) => (address ? [address] : []));
}

export async function readWithPostalMime(raw: Buffer): Promise<Reading> {
  const { subject, from, to, date, text, html, attachments } = await PostalMime.parse(raw, {
    forceRfc822Attachments: true,
  });
  return readingOf({
    ...{ subject, from: from?.address, date, text, hasHtml: Boolean(html) },
    to: (to ?? [])
      .flatMap((person) => person.group ?? [person])
      .flatMap(({ address }) => (address ? [address] : [])),
    attachments: attachments.map(({ filename, content }) => ({
      name: filename,
      size: Buffer.from(content as ArrayBuffer).length,
    })),
  });
}

/** All mails in one process: one line of JSON each. @throws if Python fails. */
export function readWithPython(mails: readonly Buffer[]): Reading[] {
  const { status, stdout, stderr } = spawnSync(
    'python3',
    [join(import.meta.dirname, 'read_mails.py')],
    {
      input: mails.map((raw) => `${raw.toString('base64')}\n`).join(''),
      encoding: 'utf8',
      maxBuffer: Infinity,
    },
  );
  if (status !== 0) throw new Error(`python3 read_mails.py failed: ${stderr}`);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => readingOf(JSON.parse(line) as Read));
}
