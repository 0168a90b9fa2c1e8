/**
 * Numbers of which a mail shows a part only: `*1245`, `XX9012`, `138****5678`. Emphasis with
 * asterisks, such as `*482913*`, has them on both sides.
 */
import type { CodeCandidate } from './candidates.ts';

/** In characters. Cards and accounts are shown by their last digits. */
const LONGEST_TAIL = 5;
/** Characters in front of a candidate that are looked at. */
const BEFORE = 45;
/** Characters in which emphasis ends. */
const AFTER = 100;
const MARK = /[*•●∙·×✱＊#xX]/;
const LETTER = /\p{L}/u;
const MASK_AFTER = /^(?:[*•●∙·×✱＊]{1,20}\d|[•●∙×✱＊]|\*{4})/u;
const ASTERISKS = /\*{1,20} ?$/;
/** Dots behind a word are its ellipsis, so those of a mask are behind a blank. */
const DOTS_BEFORE = /(?:^|[ (])(?:\.{2,20}|…)$/;
/** Letters in place of digits. */
const LETTERS = /^(?:X[X-]*X-?\d+|\d+-?X[X-]*X(?:-?\d+)?)$/;

export function isMasked(text: string, { display, start, end, form }: CodeCandidate): boolean {
  if (form === 'mixed') return LETTERS.test(display);
  const before = text.slice(Math.max(0, start - BEFORE), start);
  const after = text.slice(end, end + AFTER);
  if (MASK_AFTER.test(after)) return true;
  if (endsWithMask(before)) return !isEmphasis(before, after);
  return display.length <= LONGEST_TAIL && DOTS_BEFORE.test(before);
}

/** One asterisk or two marks; with a blank or a hyphen behind them, two marks or three letters. */
function endsWithMask(before: string): boolean {
  const gap = /[ -]$/.exec(before)?.[0] ?? '';
  const end = before.length - gap.length;
  let start = end;
  while (MARK.test(before[start - 1] ?? '')) start -= 1;
  const marks = before.slice(start, end);
  if (marks.endsWith('#') && gap !== '') return false; // a heading of Markdown
  if (!/^x+$/i.test(marks)) return marks.length > 1 || (marks === '*' && gap === '');
  return marks.length > (gap === ' ' ? 2 : 1) && !LETTER.test(before[start - 1] ?? '');
}

/** Whether the asterisks in front of a candidate stand behind it too, at the end of a word. */
function isEmphasis(before: string, after: string): boolean {
  const asterisks = ASTERISKS.exec(before)?.[0].trim() ?? '';
  if (asterisks === '') return false;
  const at = after.indexOf(asterisks);
  const isClosing = /^(?:$|[^\p{L}\p{N}*])/u.test(after.slice(at + asterisks.length));
  return at >= 0 && isClosing && (at < 2 || after[at - 1] !== ' ');
}
