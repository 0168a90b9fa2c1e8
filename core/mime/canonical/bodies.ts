/**
 * Decides which parts of a mail are its text and its HTML, and joins them in UTF-8. All other parts
 * are attachments.
 */
import { charsetName, decodeCharset, isUtf8Text } from '../charsets.ts';
import type { Hint } from '../words.ts';
import { unflow } from './flowed.ts';
import { declaredInHtml } from './html-charset.ts';
import { type MimePart, partBytes } from './part.ts';

export interface Bodies {
  /** In UTF-8. */
  text: Buffer;
  html: Buffer;
  attachments: MimePart[];
}

/** Reports for the sender, which are readable (RFC 3464, RFC 8098, RFC 5965, RFC 6533). */
const REPORT =
  /^message\/(?:(?:global-)?(?:delivery-status|disposition-notification)|feedback-report)$/;

/**
 * Text that is data. Other subtypes are read as text/plain (RFC 2046 section 4.1.4).
 */
const DATA =
  /^text\/(?:calendar|csv|tab-separated-values|(?:x-)?vcard|directory|css|javascript|xml|rtf|x-amp-html|rfc822-headers)$/;

const BOM = Buffer.from('\ufeff');
const NEWLINE = Buffer.from('\n');

/** @param hint for parts that do not name their character set. */
export function bodiesOf(leaves: MimePart[], hint: Hint): Bodies {
  const texts: Buffer[] = [];
  const htmls: Buffer[] = [];
  const attachments: MimePart[] = [];
  for (const part of leaves) {
    const kind = kindOf(part);
    if (kind === 'html') {
      htmls.push(utf8Of(part, hint));
    } else if (kind === 'text') {
      const text = utf8Of(part, hint);
      if (text.length > 0 && texts.length > 0) texts.push(NEWLINE);
      if (text.length > 0) texts.push(text);
    } else {
      attachments.push(part);
    }
  }
  return { text: joined(texts), html: joined(htmls), attachments };
}

function kindOf(part: MimePart): 'text' | 'html' | 'attachment' {
  const { type, disposition, filename } = part;
  const isFile = disposition === 'inline' ? filename !== null : disposition !== null;
  if (isFile) return 'attachment';
  if (type === 'text/html') return 'html';
  if (type === 'text/plain' || REPORT.test(type)) return 'text';
  if (type.startsWith('multipart/')) return 'text'; // without parts
  return isOtherText(part) ? 'text' : 'attachment';
}

/** An alternative to text that is shown is not shown as well. */
function isOtherText({ type, filename, parent }: MimePart): boolean {
  if (!type.startsWith('text/') || DATA.test(type) || filename !== null) return false;
  const others = parent?.type === 'multipart/alternative' ? parent.children : [];
  return !others.some((other) => other.type === 'text/plain' || other.type === 'text/html');
}

function utf8Of(part: MimePart, hint: Hint): Buffer {
  const bytes = partBytes(part);
  const isHtml = part.type === 'text/html';
  const declared = isHtml && charsetName(part.charset) === null ? declaredInHtml(bytes) : null;
  const charset = declared ?? part.charset;
  const isFlowed = !isHtml && part.parameters.get('format')?.toLowerCase() === 'flowed';
  if (!isFlowed && isUtf8Text(bytes, charset)) return withoutMark(bytes);
  const text = decodeCharset(bytes, charset, charset === null ? hint() : null);
  if (!isFlowed) return Buffer.from(text);
  return Buffer.from(unflow(text, part.parameters.get('delsp')?.toLowerCase() === 'yes'));
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, BOM.length).equals(BOM) ? bytes.subarray(BOM.length) : bytes;
}

function joined(pieces: Buffer[]): Buffer {
  return pieces.length === 1 ? (pieces[0] ?? NEWLINE) : Buffer.concat(pieces);
}
