/**
 * Everything in a text that has the form of a code. Each pattern is linear: its parts share no
 * characters.
 */

import { NO_SPACES } from '../normalize.ts';
import { findWords } from '../vocabulary.ts';

export interface CodeCandidate {
  /** Without separators between digits, and without the letter of the sender in `G-482913`. */
  value: string;
  display: string;
  start: number;
  end: number;
  form: 'digits' | 'mixed' | 'letters';
}

const LENGTH = { least: 4, most: 10 };
/** What every candidate contains; most lines of a mail do not. */
const PART_OF_CODE = /[A-Z0-9]{2}|\d[ -]\d/;
const DIGITS = /\d+(?:[ -]\d+)*/g;
const CAPITALS = /[A-Z0-9]+(?:-[A-Z0-9]+)*/g;
/** Digits behind the letter of a sender, or behind a word. */
export const PREFIXED = /^([A-Z]+)-(\d{4,10})$/;
const WORD_CHARACTER = /[\p{L}\p{N}_]/u;
/** On one side of a code. */
const MAX_UNDERSCORES = 3;
const HAS_DIGIT = /\d/;
const HAS_LETTER = /[A-Z]/;
/** A line of its own by which browsers and phones fill in a code (WICG origin-bound codes). */
const ORIGIN_BOUND = /^@[a-z0-9.-]{1,253} #([A-Za-z0-9]{4,10})(?: |$)/;

/** The code of an origin-bound line. */
export function originBound(text: string): CodeCandidate | null {
  const [match, value] = ORIGIN_BOUND.exec(text) ?? [];
  if (match === undefined || value === undefined) return null;
  const start = match.indexOf('#') + 1;
  return { value, display: value, start, end: start + value.length, form: 'mixed' };
}

/** At least the first `most` candidates, numbers first. They do not overlap. */
export function candidatesIn(text: string, most: number): CodeCandidate[] {
  if (!PART_OF_CODE.test(text)) return [];
  const numbers: CodeCandidate[] = [];
  for (const { 0: run, index } of text.matchAll(DIGITS)) {
    if (numbers.length >= most) break;
    addDigits(text, run, index, numbers);
  }
  const others: CodeCandidate[] = [];
  for (const { 0: run, index } of text.matchAll(CAPITALS)) {
    if (numbers.length + others.length >= most) break;
    const found = withLetters(text, run, index);
    if (found) others.push(found);
  }
  return [...withoutOverlap(numbers, others), ...others];
}

/** The candidate of a run with letters. */
function withLetters(text: string, run: string, start: number): CodeCandidate | null {
  const end = start + run.length;
  if (run.length < LENGTH.least || !HAS_LETTER.test(run) || !isFree(text, start, end)) return null;
  if (!hasLength(run.replaceAll('-', ''))) return null;
  const [, prefix, digits] = PREFIXED.exec(run) ?? [];
  if (prefix !== undefined && digits !== undefined) {
    if (prefix.length === 1) return { value: digits, display: run, start, end, form: 'digits' };
    if (findWords(prefix).length > 0) return null; // `PIN-4829` has the code 4829
  }
  const form = HAS_DIGIT.test(run) ? 'mixed' : 'letters';
  if (form === 'letters' && !haveOneLength(run.split('-'))) return null;
  return { value: run, display: run, start, end, form };
}

/** The numbers that are not part of another candidate. Both are in the order of the text. */
function withoutOverlap(numbers: CodeCandidate[], others: CodeCandidate[]): CodeCandidate[] {
  let at = 0;
  return numbers.filter(({ start, end }) => {
    while ((others[at]?.end ?? Infinity) <= start) at += 1;
    return (others[at]?.start ?? Infinity) >= end;
  });
}

/** Groups of equal size are one number; other groups are numbers beside each other. */
function addDigits(text: string, run: string, index: number, found: CodeCandidate[]): void {
  if (run.length < LENGTH.least) return;
  const groups = run.split(/[ -]/);
  const joined = groups.join('');
  if (hasLength(joined) && areEqual(groups) && isFree(text, index, index + run.length)) {
    found.push(candidate(joined, run, index));
    return;
  }
  let at = index;
  for (const group of groups) {
    if (hasLength(group) && isFree(text, at, at + group.length)) {
      found.push(candidate(group, group, at));
    }
    at += group.length + 1;
  }
}

function candidate(value: string, display: string, start: number): CodeCandidate {
  return { value, display, start, end: start + display.length, form: 'digits' };
}

function hasLength({ length }: string): boolean {
  return length >= LENGTH.least && length <= LENGTH.most;
}

function areEqual(groups: string[]): boolean {
  const [first = ''] = groups;
  return haveOneLength(groups) && (groups.length === 1 || first.length <= 5);
}

function haveOneLength(groups: string[]): boolean {
  return groups.every(({ length }) => length === groups[0]?.length);
}

/** Whether no word continues on either side. Underscores around a code are emphasis. */
function isFree(text: string, start: number, end: number): boolean {
  let before = start - 1;
  let after = end;
  while (text[before] === '_' && start - before <= MAX_UNDERSCORES) before -= 1;
  while (text[after] === '_' && after - end < MAX_UNDERSCORES) after += 1;
  return !continuesWord(text[before]) && !continuesWord(text[after]);
}

function continuesWord(character: string | undefined): boolean {
  return character !== undefined && WORD_CHARACTER.test(character) && !NO_SPACES.test(character);
}
