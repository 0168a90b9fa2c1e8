/**
 * Mails that are odd in a known way, with what they show. `ID.eml` is the mail, `ID.json` tells the
 * expected fields, why, and whether a standard says so (`rfc`) or programs agree on it (`lenient`).
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../core/root.ts';

export const CASES = join(ROOT, 'test/core/mime/cases');

interface ExpectedAttachment {
  filename?: string | null;
  contentType?: string;
  size?: number;
}

export interface Expected {
  from?: { address: string; name?: string | null } | null;
  to?: string[];
  cc?: string[];
  subject?: string;
  subjectLoose?: string;
  text?: string | null;
  /** Blanks at the ends of lines do not count. */
  textFlow?: string;
  textContains?: string | string[];
  textNotContains?: string | string[];
  textOrError?: string;
  html?: string | null;
  htmlContains?: string;
  htmlNotContains?: string;
  htmlMustNotContain?: string;
  attachments?: ExpectedAttachment[];
  attachmentTypes?: string[];
  attachmentCount?: number;
  attachmentCharset?: string[];
  messageIdHeader?: string;
  parseError?: string | null;
  headers?: Record<string, string>;
  extracted?: { code: string };
  /** Contained in the text of a mail of HTML. */
  codeIn?: string;
  /** Number of pictures embedded in the HTML. */
  htmlView?: number;
  preview?: string;
}

export interface MailCase {
  id: string;
  why: string;
  strict: 'rfc' | 'lenient';
  expected: Expected;
  raw: Buffer;
}

/** What a message shows, by whatever way it was read. */
export interface Shown {
  from: { address: string; name: string | null } | null;
  to: string[];
  cc: string[];
  subject: string;
  text: string | null;
  html: string | null;
  attachments: { filename: string | null; contentType: string; size: number }[];
  messageIdHeader: string | null;
  parseError: string | null;
  headers: { name: string; value: string }[];
}

export function mailCases(): MailCase[] {
  return readdirSync(CASES)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const described = JSON.parse(readFileSync(join(CASES, file), 'utf8')) as Omit<
        MailCase,
        'raw'
      >;
      return { ...described, raw: readFileSync(join(CASES, file.replace(/json$/, 'eml'))) };
    });
}

/** The names and values of the fields that differ. */
export function differences(expected: Expected, shown: Shown): string[] {
  const wrong: string[] = [];
  const check = (field: string, isRight: boolean, seen: unknown) => {
    if (!isRight) wrong.push(`${field}: ${JSON.stringify(seen)}`);
  };
  const equal = (field: keyof Expected & keyof Shown, trim = (value: unknown) => value) => {
    if (!(field in expected)) return;
    const [right, seen] = [expected[field], shown[field]].map((v) => JSON.stringify(trim(v)));
    check(field, right === seen, shown[field]);
  };
  const trimmed = (value: unknown) => (typeof value === 'string' ? value.trimEnd() : value);
  const { text, html, attachments } = shown;
  if ('from' in expected) check('from', isPerson(expected.from ?? null, shown.from), shown.from);
  equal('to');
  equal('cc');
  if (expected.subjectLoose === undefined) equal('subject');
  else
    check('subject', shown.subject.replace(/\s+/g, ' ') === expected.subjectLoose, shown.subject);
  equal('text', trimmed);
  equal('html', trimmed);
  equal('messageIdHeader');
  equal('parseError');
  const flow = (value: string | null) => value?.replace(/ +$/gm, '').trimEnd();
  if (expected.textFlow) check('text', flow(text) === flow(expected.textFlow), text);
  for (const part of [expected.textContains ?? []].flat()) {
    check(`text with ${part}`, text?.includes(part) ?? false, text);
  }
  for (const part of [expected.textNotContains ?? []].flat()) {
    check(`text without ${part}`, !text?.includes(part), text);
  }
  if (expected.textOrError) {
    const isTold = (text?.includes(expected.textOrError) ?? false) || shown.parseError !== null;
    check('text or parseError', isTold, text);
  }
  if (expected.htmlContains) check('html', html?.includes(expected.htmlContains) ?? false, html);
  for (const part of [expected.htmlNotContains, expected.htmlMustNotContain]) {
    if (part) check(`html without ${part}`, !html?.includes(part), html);
  }
  const types = attachments.map(({ contentType }) => contentType.split(';')[0]);
  if (expected.attachments) {
    check('attachments', areAttachments(expected.attachments, attachments), attachments);
  }
  if (expected.attachmentTypes) {
    check('types', String(types) === String(expected.attachmentTypes), attachments);
  }
  if (expected.attachmentCount !== undefined) {
    check('attachments', attachments.length === expected.attachmentCount, attachments);
  }
  for (const charset of expected.attachmentCharset ?? []) {
    check(`attachment with ${charset}`, JSON.stringify(attachments).includes(charset), attachments);
  }
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    const seen = shown.headers.filter((field) => field.name.toLowerCase() === name.toLowerCase());
    check(
      `header ${name}`,
      seen.some((field) => field.value === value),
      seen,
    );
  }
  return wrong;
}

function isPerson(expected: Exclude<Expected['from'], undefined>, shown: Shown['from']): boolean {
  if (expected === null || shown === null) return expected === shown;
  const isNamed = expected.name === undefined || expected.name === shown.name;
  return isNamed && expected.address === shown.address;
}

function areAttachments(expected: ExpectedAttachment[], shown: Shown['attachments']): boolean {
  if (expected.length !== shown.length) return false;
  return expected.every(({ filename, contentType, size }, n) => {
    const seen = shown[n];
    // A part without a name is given one by its type.
    const isNamed = (filename ?? seen?.filename) === seen?.filename;
    const isTyped = contentType === undefined || contentType === seen?.contentType.split(';')[0];
    return isNamed && isTyped && (size === undefined || size === seen?.size);
  });
}
