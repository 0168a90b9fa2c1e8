/**
 * Finds what mail clients write above a quoted mail: a line such as "On ..., Ann wrote:", a list of
 * its header fields, or a separator.
 */
import { GROUPWISE, type Line } from './lines.ts';
import { ENDS_WITH_VERB, type HeaderKind, ORIGINAL, WROTE, kindsOf } from './vocabulary.ts';

export interface Intro {
  /** The first line after it. */
  end: number;
  /** Whether it is a line such as "Ann wrote:", which people write too. */
  isAttribution: boolean;
  /** Whether quoted lines follow. Below them, the mail can go on. */
  isQuoteMarked: boolean;
}

/** Lines that are looked at are not longer, in characters. */
const MAX_LINE = 400;
/** Lines over which an attribution is wrapped. */
const MAX_WRAPPED = 4;
/** Lines of header fields with wrapped values. */
const MAX_FIELDS = 16;
const MAX_UNLABELLED = 3;

const ADDRESS = /[^\s<>@]@[^\s<>@]/;
const TIME = /\d{1,2} ?[:.h時点시] ?\d{2}|\d{1,2} ?[ap]\.?m\b/i;
const DATE =
  /(?<!\d)(?:19|20)\d\d(?!\d)|(?<!\d)\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?!\d)|\d{1,2}월|\d{1,2}月/;
const ENDS = /[:：] ?[*_\])”"’]*$/;
const SENTENCE_END = /[.!?…。！？]$/;
/** A day and a month, in either order. */
const DAY = /(?<!\p{L})\p{L}{3,}\.? \d{1,2}(?!\d)|(?<!\d)\d{1,2}\.? \p{L}{3,}/u;
/** At least two dashes on both sides; more are part of the text. */
const DASHED = /^-- ?\S(?:.*\S)? ?--$/;
/** "Ann wrote:" without a date is not longer. */
const MAX_SHORT = 80;
const LABEL_START = /^[\s*_|•]*/;
const MAX_LABEL = 32;
const LABEL_MARK = /[\s*_]/;
const MARKED = /^[-_=*#]|[-_=*:：]$/;
const RULE = /^[-_=*\s]{3,}$/;

/** What begins at this line, or null. */
export function introAt(lines: readonly Line[], at: number): Intro | null {
  const { plain } = lines[at] ?? { plain: '' };
  if (plain === '' || plain.length > MAX_LINE) return null;
  const attribution = attributionEnd(lines, at);
  if (attribution !== null) return introTo(lines, attribution, true);
  const below = separatorEnd(lines, at);
  const end =
    fieldsEnd(lines, at) ??
    (below === null ? null : (attributionEnd(lines, below) ?? fieldsEnd(lines, below)));
  if (end !== null) return introTo(lines, end);
  return isOriginal(plain) || GROUPWISE.test(plain) ? introTo(lines, at + 1) : null;
}

/** The first line after a separator and the blank lines below it; null without a separator. */
function separatorEnd(lines: readonly Line[], at: number): number | null {
  const { plain = '' } = lines[at] ?? {};
  if (!RULE.test(plain) && !DASHED.test(plain) && !isOriginal(plain)) return null;
  return nextWritten(lines, at + 1);
}

function isOriginal(plain: string): boolean {
  return MARKED.test(plain) && ORIGINAL.test(plain);
}

function introTo(lines: readonly Line[], end: number, isAttributed = false): Intro {
  const isQuoteMarked = lines[nextWritten(lines, end)]?.quoted ?? false;
  return { end, isQuoteMarked, isAttribution: isAttributed };
}

function nextWritten(lines: readonly Line[], at: number): number {
  let next = at;
  while (next < lines.length && lines[next]?.plain === '') next += 1;
  return next;
}

/** The end of "On ..., Ann wrote:", which clients wrap. */
function attributionEnd(lines: readonly Line[], at: number): number | null {
  const first = lines[at];
  if (!first || first.plain.length > MAX_LINE || !hasFeature(first.plain)) return null;
  let joined = '';
  for (let end = at; end < at + MAX_WRAPPED; end += 1) {
    const line = lines[end];
    if (!line || line.plain === '') return null;
    // Not a quoted line, but the rest of a wrapped address.
    if (line.quoted && end > at && joined.lastIndexOf('<') <= joined.lastIndexOf('>')) return null;
    joined = joined === '' ? line.plain : `${joined} ${line.plain}`;
    if (joined.length > MAX_LINE) return null;
    if (isAttribution(joined)) return beginsLater(lines, at, end) ? null : end + 1;
    if (ENDS.test(line.plain)) return null;
  }
  return null;
}

/** Whether the first line is a sentence above an attribution. */
function beginsLater(lines: readonly Line[], at: number, end: number): boolean {
  if (!SENTENCE_END.test(lines[at]?.plain ?? '')) return false;
  const rest = lines
    .slice(at + 1, end + 1)
    .map(({ plain }) => plain)
    .join(' ');
  const isDated = [DATE, TIME, DAY].some((pattern) => pattern.test(rest));
  return isDated && isAttribution(rest) && (WROTE.test(rest) || ADDRESS.test(rest));
}

function hasFeature(text: string): boolean {
  const isDated = /[\d@]/.test(text) && [DATE, TIME, ADDRESS, DAY].some((one) => one.test(text));
  return isDated || (ENDS.test(text) && WROTE.test(text));
}

function isAttribution(text: string): boolean {
  const hasVerb = WROTE.test(text);
  const features = [ADDRESS, TIME, DATE, DAY].filter((pattern) => pattern.test(text)).length;
  if (!ENDS.test(text) && !DASHED.test(text)) return features >= 3 && ENDS_WITH_VERB.test(text);
  if (hasVerb) return features > 0 || text.length <= MAX_SHORT;
  return features >= 2 && (ADDRESS.test(text) || text.length <= MAX_SHORT);
}

/** The end of a list of header fields: the sender and two others. */
function fieldsEnd(lines: readonly Line[], at: number): number | null {
  const found = new Set<HeaderKind>();
  let end = at;
  let unlabelled = 0;
  let isCertain = false;
  for (let next = at; next < lines.length && next < at + MAX_FIELDS; next += 1) {
    const { plain = '', quoted = false } = lines[next] ?? {};
    if (quoted) break;
    const kinds = labelsOf(plain);
    if (kinds.length === 0) {
      if (next === at || (unlabelled += 1) > MAX_UNLABELLED) break;
      continue;
    }
    unlabelled = 0;
    const kind = kinds.find((each) => !found.has(each));
    if (kind) found.add(kind);
    if (ADDRESS.test(plain) || kind === 'subject' || (kind === 'date' && /\d/.test(plain))) {
      isCertain = true;
    }
    end = next + 1;
  }
  return isCertain && found.has('from') && found.size >= 3 ? end : null;
}

function labelsOf(plain: string): readonly HeaderKind[] {
  if (plain.length > MAX_LINE) return [];
  const colon = plain.search(/[:：]/);
  if (colon < 0) return [];
  const start = LABEL_START.exec(plain)?.[0].length ?? 0;
  let end = colon;
  while (end > start && LABEL_MARK.test(plain.charAt(end - 1))) end -= 1;
  return end - start > MAX_LABEL ? [] : kindsOf(plain.slice(start, end).toLowerCase());
}
