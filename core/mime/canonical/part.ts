/** A part of a mail: what its header tells, where its bytes are, and what they decode to. */
import { decodeCharset } from '../charsets.ts';
import type { ContentFields } from './content-fields.ts';
import { decodeTransfer } from './transfer-encoding.ts';

export interface MimePart extends ContentFields {
  /** IMAP's section number (RFC 3501 section 6.4.5); empty for a mail that is a multipart. */
  section: string;
  /** The bytes that the offsets refer to: the mail, or a decoded multipart. */
  source: Buffer;
  headerStart: number;
  bodyStart: number;
  bodyEnd: number;
  parent: MimePart | null;
  /** Empty for a part that is no multipart. An attached mail is not read. */
  children: MimePart[];
}

/** The parts without children, in the order of the mail. */
export function leavesOf(root: MimePart): MimePart[] {
  const leaves: MimePart[] = [];
  const pending = [root];
  for (let part = pending.pop(); part; part = pending.pop()) {
    if (part.children.length === 0) leaves.push(part);
    else for (const child of part.children.toReversed()) pending.push(child);
  }
  return leaves;
}

/** The bytes of a part, without its transfer encoding. */
export function partBytes(part: MimePart): Buffer {
  return decodeTransfer(part.source.subarray(part.bodyStart, part.bodyEnd), part.encoding);
}

/** The text of a part in its character set, or in the one that its bytes suggest. */
export function partText(part: MimePart): string {
  return decodeCharset(partBytes(part), part.charset);
}
