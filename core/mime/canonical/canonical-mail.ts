/**
 * Turns the bytes of a mail as they came into a mail that any parser reads the same way: its
 * readable header fields, and its text and its HTML in UTF-8, in at most three parts. Attachments
 * are not among them; their bytes are decoded here.
 */
import { randomUUID } from 'node:crypto';
import type { ParseLimits } from '../parse-limits.ts';
import { charsetOfEncodedWords } from '../words.ts';
import { bodiesOf } from './bodies.ts';
import type { RawField } from './header-block.ts';
import { type MailHeader, isKept, mailHeader } from './mail-header.ts';
import { type MimePart, leavesOf } from './part.ts';
import { readStructure, truncated } from './structure.ts';

export interface CanonicalMail {
  /** The mail for the parser, in pieces. */
  pieces: Buffer[];
  /** Header fields, one character per byte. */
  headerLines: MailHeader['headerLines'];
  attachments: MimePart[];
  /** The reason if part of the mail was not read. */
  fault: string | null;
}

/** @throws {Error} if the header is longer than its limit. */
export function canonicalMail(raw: Buffer, limits: ParseLimits): CanonicalMail {
  const { root, fields, fault } = readStructure(raw, limits, isKept);
  const header = mailHeader(fields);
  const { text, html, attachments } = bodiesOf(leavesOf(root), () => charsetOfFields(fields));
  return {
    pieces: written(header, text, html),
    headerLines: header.headerLines,
    attachments,
    fault: fault ?? (header.cut.length > 0 ? truncated(header.cut) : null),
  };
}

/** The character set that the fields use besides UTF-8; null if there is none. */
function charsetOfFields(fields: RawField[]): string | null {
  return charsetOfEncodedWords(fields.map(({ value }) => value).join('\n'));
}

function written({ lines }: MailHeader, text: Buffer, html: Buffer): Buffer[] {
  if (html.length === 0) return [Buffer.from(`${lines}\r\n`, 'latin1'), text]; // the default type
  if (text.length === 0) return [Buffer.from(lines + partHead('html'), 'latin1'), html];
  const boundary = randomUUID();
  const type = `Content-Type: multipart/alternative; boundary="${boundary}"\r\n\r\n`;
  return [
    Buffer.from(`${lines}${type}--${boundary}\r\n${partHead('plain')}`, 'latin1'),
    text,
    Buffer.from(`\r\n--${boundary}\r\n${partHead('html')}`),
    html,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ];
}

function partHead(subtype: string): string {
  return `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n`;
}
