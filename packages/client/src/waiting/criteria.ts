import type { WaitQuery } from '../connection/bodies.ts';
import type { LinkKind, Message } from '../types.ts';

/** Criteria that a message must match. All of them must hold. */
export interface Criteria {
  /** Address in the `From` header, or `@domain`. One of several must match. */
  from?: string | string[];
  /**
   * Address among the envelope recipients, `To` and `Cc`, or `@domain`. One of several must match.
   */
  to?: string | string[];
  tag?: string;
  /** Text that the subject contains, or a pattern, which the client tests. */
  subject?: string | RegExp;
  /** Text that the text part or the visible HTML contains, or a pattern, which the client tests. */
  text?: string | RegExp;
  /** Header fields with exactly these values. */
  header?: Record<string, string>;
  hasAttachment?: boolean;
  /** Whether the message has a verification code. */
  hasCode?: boolean;
  /** Whether the message has a link of this kind. */
  link?: LinkKind;
  /** Whether another client has claimed the message. */
  claimed?: boolean;
  /**
   * Only messages that were not visible when this mark was made: `await inbox.mark()`. A wait in
   * all mailboxes takes a mark of `await mayfly.mark()`.
   */
  mark?: string;
  /** Only messages received after this time. A text is ISO 8601, and UTC without an offset. */
  since?: Date | string;
}

/** Criteria that the service tests by itself. */
export interface TextCriteria extends Omit<Criteria, 'subject' | 'text' | 'claimed'> {
  /** Text that the subject contains. */
  subject?: string;
  /** Text that the text part or the visible HTML contains. */
  text?: string;
}

const PATTERNS = ['subject', 'text'] as const;
/** Criteria that go to the service as they are. */
const UNCHANGED = ['tag', 'hasAttachment', 'hasCode', 'link', 'claimed', 'mark'];

/**
 * The criteria for the service, without patterns.
 * @throws {TypeError} for an unknown criterion, and for one without a value, such as a mark that is
 *   null: without it, a wait would find other messages.
 * @internal
 */
export function queryOf(criteria: Criteria): WaitQuery {
  const { from, to, subject, text, header, since, ...rest } = criteria;
  if ('mark' in criteria) checkMark(criteria.mark);
  for (const [name, value] of Object.entries(criteria)) checkValue(name, value);
  const unknown = Object.keys(rest).find((name) => !UNCHANGED.includes(name));
  if (unknown !== undefined) throw new TypeError(`There is no criterion '${unknown}'.`);
  return {
    ...rest,
    ...(from === undefined ? {} : { from: [from].flat() }),
    ...(to === undefined ? {} : { to: [to].flat() }),
    ...(typeof subject === 'string' ? { subject } : {}),
    ...(typeof text === 'string' ? { text } : {}),
    ...(header === undefined
      ? {}
      : { header: Object.entries(header).map(([name, value]) => `${name}: ${value}`) }),
    ...(since === undefined ? {} : { since: since instanceof Date ? since.toISOString() : since }),
  };
}

function checkMark(mark: unknown): void {
  if (typeof mark === 'string' && mark !== '') return;
  const given = kindOf(mark);
  const advice = given === 'a Promise' ? ' Write await before mark().' : '';
  throw new TypeError(`A mark is the string that mark() resolves to, not ${given}.${advice}`);
}

/** A program in JavaScript can pass anything. Undefined is a criterion that is left out. */
function checkValue(name: string, value: unknown): void {
  const isPattern = PATTERNS.some((one) => one === name);
  if (value instanceof RegExp) {
    if (isPattern) return;
    throw new TypeError(`'${name}' takes text, not a regular expression.`);
  }
  const isObject = typeof value === 'object' && !(value instanceof Date);
  if (value === undefined) return;
  const isEmpty = isObject && (value === null || Object.keys(value).length === 0);
  if (isEmpty || (value instanceof Date && Number.isNaN(value.getTime())))
    throw new TypeError(`'${name}' has no value. Leave it out, or give one.`);
  if (isPattern && typeof value !== 'string')
    throw new TypeError(`'${name}' takes text or a regular expression.`);
  if (name === 'header' && typeof value !== 'object')
    throw new TypeError("'header' takes an object, such as { 'X-Run': '42' }.");
}

/** A value as an error calls it. @internal */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (value === '') return 'an empty string';
  if (typeof value !== 'object') return `a ${typeof value}`;
  if ('then' in value) return 'a Promise';
  return value instanceof Error ? `the error "${value.message}"` : 'an object';
}

/** The names of the patterns that a message does not match. @internal */
export function failedPatterns(criteria: Criteria, { subject, text, html }: Message): string[] {
  const seen = { subject, text: `${text ?? ''}\n${(html ?? '').replace(/<[^<>]*>/g, ' ')}` };
  return PATTERNS.filter((name) => {
    const pattern = criteria[name];
    // A pattern with the flag g or y remembers where its last match ended.
    return pattern instanceof RegExp && !new RegExp(pattern).test(seen[name]);
  });
}

/**
 * @param what begins the message of the error.
 * @throws {TypeError} for patterns, which only the client can test. @internal
 */
export function refusePatterns(what: string, criteria: Criteria): void {
  if (!PATTERNS.some((name) => criteria[name] instanceof RegExp)) return;
  throw new TypeError(
    `${what} accepts strings, not regular expressions. Use wait() for a regular expression.`,
  );
}

/** The criteria as text: `message with subject /sign-?in/i, to qa@acme.test`. @internal */
export function describe(criteria: Criteria, what = 'message'): string {
  const shown = Object.entries(criteria).flatMap(([name, value]: [string, unknown]) =>
    value === undefined || name === 'mark' ? [] : [`${name} ${asText(value)}`],
  );
  return shown.length === 0 ? what : `${what} with ${shown.join(', ')}`;
}

function asText(value: unknown): string {
  if (value instanceof RegExp) return value.toString();
  if (value instanceof Date) return value.toISOString();
  return JSON.stringify(value);
}
