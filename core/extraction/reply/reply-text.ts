/**
 * The text that the author of a mail wrote: without quoted mails and without a signature. Linear in
 * the length of the mail.
 */
import { readableText } from '../../text/preview.ts';
import { introAt } from './history.ts';
import { type Line, isTooLong, linesOfHtml, linesOfText } from './lines.ts';
import { isSentFrom } from './vocabulary.ts';

/** In characters. */
const MAX_LENGTH = 64 * 1024;
/** Lines of a signature. More of them below "--" are text. */
const MAX_SIGNATURE = 15;
const MAX_DEVICE_LINE = 80;
/** RFC 3676 section 4.3, and how clients change it; the rule above the footer of a mailing list. */
const DELIMITER = /^(?:--|[—–]+|_{2,})$/;
/** Quoted lines that some clients wrap are at least so long. */
const WRAPPED_FROM = 60;

interface Read {
  lines: Line[];
  html: string;
}

/**
 * Of the text part, or of the HTML if the text part is missing or blank. Answers between quotes are
 * kept, as paragraphs of their own. The first 262,144 characters of the part are read.
 * @returns at most 65,536 characters; empty if there is nothing but quoted mail
 */
export function findReply(mail: { text: string | null; html: string | null }): {
  text: string;
  truncated: boolean;
} {
  const read = readableText<Read>(mail, (html) => ({ lines: linesOfHtml(html), html }));
  const isText = typeof read === 'string';
  const lines = isText ? linesOfText(read) : read.lines;
  const isCut = isTooLong(isText ? read : read.html);
  const text = answersIn(lines)
    .map((answer) => joined(withoutSignature(answer)))
    .filter((answer) => answer !== '')
    .join('\n\n');
  return { text: text.slice(0, MAX_LENGTH), truncated: isCut || text.length > MAX_LENGTH };
}

function joined(lines: readonly Line[]): string {
  const text = lines.map((line) => line.text.trimEnd()).join('\n');
  return text
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '')
    .trimEnd();
}

/** The lines between quoted mails. */
function answersIn(lines: readonly Line[]): Line[][] {
  let answer: Line[] = [];
  const answers = [answer];
  const startNext = () => {
    if (answer.length === 0) return;
    answer = [];
    answers.push(answer);
  };
  let hasText = false;
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (!line) break;
    if (line.quoted || isWrappedQuote(lines, at)) {
      startNext();
      at += 1;
      continue;
    }
    const intro = introAt(lines, at);
    if (!intro) {
      answer.push(line);
      hasText ||= line.plain !== '';
      at += 1;
      continue;
    }
    // Unmarked text below an attribution is quoted, unless the mail has no other text.
    if (!intro.isQuoteMarked && (hasText || !intro.isAttribution)) break;
    startNext();
    at = intro.end;
  }
  return answers;
}

function withoutSignature(answer: Line[]): Line[] {
  const delimiter = answer.findIndex(
    ({ plain }, at) => DELIMITER.test(plain) && writtenFrom(answer, at + 1) <= MAX_SIGNATURE,
  );
  const kept = delimiter < 0 ? answer : answer.slice(0, delimiter);
  const device = kept.findIndex(
    ({ plain }, at) =>
      plain.length <= MAX_DEVICE_LINE && isSentFrom(plain) && (kept[at - 1]?.plain ?? '') === '',
  );
  return device < 0 ? kept : kept.slice(0, device);
}

/** The end of a quoted line that a client has wrapped without a second mark. */
function isWrappedQuote(lines: readonly Line[], at: number): boolean {
  const [before, line, after] = [lines[at - 1], lines[at], lines[at + 1]];
  if (!before?.quoted || before.plain.length < WRAPPED_FROM || !after?.quoted) return false;
  return /^\p{Ll}/u.test(line?.plain ?? '') && !/[.!?:]$/.test(before.plain);
}

/** The number of lines with text, up to one more than a signature has. */
function writtenFrom(lines: readonly Line[], from: number): number {
  let count = 0;
  for (let at = from; at < lines.length && count <= MAX_SIGNATURE; at += 1) {
    if (lines[at]?.plain !== '') count += 1;
  }
  return count;
}
