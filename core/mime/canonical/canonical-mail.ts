/**
 * Turns the bytes of a mail as they came into a mail that any parser reads the same way: its
 * readable header fields, and its text in UTF-8, in one part. HTML and attachments are decoded
 * here: each further part takes the parser as long as a mail of its own.
 */
import { isAscii } from 'node:buffer';
import { isReadable } from '../charsets.ts';
import { fit } from '../facts/fit.ts';
import type { ParseLimits } from '../parse-limits.ts';
import { bodiesOf } from './bodies.ts';
import { type MailHeader, hintOf, isKept, mailHeader } from './mail-header.ts';
import { type MimePart, leavesOf, partBytes } from './part.ts';
import { readStructure, truncated } from './structure.ts';

export interface CanonicalMail {
  /** The mail for the parser, in pieces. */
  pieces: Buffer[];
  /** In UTF-8; empty if there is none. */
  html: Buffer;
  /** Header fields, one character per byte. */
  headerLines: MailHeader['headerLines'];
  /** The part that all others are in. */
  root: MimePart;
  attachments: MimePart[];
  /** The reason if part of the mail was not read. */
  fault: string | null;
  /** What the mail has that cannot be shown; null if nothing. */
  defect: string | null;
}

/** @throws {Error} if the header is longer than its limit. */
export function canonicalMail(raw: Buffer, limits: ParseLimits): CanonicalMail {
  const { root, fields, fault, defect } = readStructure(raw, limits, isKept);
  const leaves = leavesOf(root);
  const hint = hintOf(fields, () => leaves);
  const header = mailHeader(fields, hint);
  const { text, html, attachments } = bodiesOf(leaves, hint);
  return {
    pieces: [Buffer.from(`${header.lines}\r\n`, 'latin1'), text], // of the default type
    headerLines: header.headerLines,
    ...{ html, root, attachments },
    defect: defect ?? unreadable(leaves),
    fault: fault ?? (header.cut.length > 0 ? truncated(header.cut) : null),
  };
}

/** Names the unknown character set of a text whose bytes depend on it. */
function unreadable(leaves: MimePart[]): string | null {
  const part = leaves.find(
    (leaf) =>
      leaf.type.startsWith('text/') && !isReadable(leaf.charset) && !isAscii(partBytes(leaf)),
  );
  if (!part) return null;
  return fit(`the character set of part ${part.section} is not known: ${part.charset ?? ''}`);
}
