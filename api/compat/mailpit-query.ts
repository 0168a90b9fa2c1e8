/**
 * The query language of Mailpit (internal/storage/search.go, 1.30), as conditions of search. An
 * operator that Mailpit does not have is refused: as excluded text it would match all mail, which a
 * deletion by search then deletes.
 */
import { AppError } from '../../core/errors.ts';
import { type Zone, ianaZone } from '../../core/mime/facts/time-zones.ts';
import type { Condition, ParsedQuery, PartField, Term } from '../../core/search/query.ts';
import { queryFault } from '../../core/search/read-terms.ts';
import { MAX_PART, textPart } from '../../core/text/text-part.ts';
import { type MailpitTerm, cutTerms } from './mailpit-terms.ts';
import { parseMailpitTime } from './mailpit-time.ts';

interface Setting {
  /** IANA name of the time zone of times without an offset; UTC if it is empty. */
  timeZone: string;
  /** Whether what matches is deleted. */
  isDeletion: boolean;
}

interface Operator {
  /** Null for a value that is not valid. */
  read: (value: string, zone: Zone) => Condition | null;
  /** What the value must be. */
  form: string;
}

const PEOPLE: readonly PartField[] = ['from', 'to', 'cc', 'bcc', 'replyTo'];
/** What Mailpit looks for text in. */
const ANYWHERE: readonly PartField[] = [...PEOPLE, 'envelopeFrom', 'subject', 'filename', 'body'];

const SIZE = /^(\d{1,12}(?:\.\d{1,6})?)\s?(?:([km])b?)?$/i;
const BYTES = new Map([
  ['k', 1024],
  ['m', 1024 * 1024],
]);

const anywhere = part(ANYWHERE);
const operators: ReadonlyMap<string, Operator> = new Map([
  ['subject', part(['subject'], false)],
  ['message-id', part(['messageId'], false)],
  ['from', part(['from'])],
  ['to', part(['to'])],
  ['cc', part(['cc'])],
  ['bcc', part(['bcc'])],
  ['reply-to', part(['replyTo'])],
  ['addressed', part(PEOPLE)],
  ['tag', { form: 'a tag', read: (tag: string) => ({ kind: 'tagged', tag }) }],
  [
    'is',
    choice({
      read: { kind: 'read' },
      unread: { kind: 'unread' },
      tagged: { kind: 'tagged', tag: null },
    }),
  ],
  [
    'has',
    choice({
      attachment: { kind: 'file' },
      attachments: { kind: 'file' },
      inline: { kind: 'inline' },
      inlines: { kind: 'inline' },
    }),
  ],
  ['larger', size('larger')],
  ['smaller', size('smaller')],
  ['after', time('after', -1)],
  ['before', time('before', 1)],
]);

/**
 * @throws {AppError} `invalid_request` for an empty query, an operator that Mailpit does not have,
 *   a value that is not valid, and a deletion of read or unread messages.
 */
export function parseMailpitQuery(query: string, { timeZone, isDeletion }: Setting): ParsedQuery {
  const zone = ianaZone(timeZone === '' ? 'UTC' : timeZone);
  if (!zone) throw new AppError('invalid_request', '"tz" must be a time zone, as Europe/Berlin.');
  const terms = cutTerms(query, (name) => operators.has(name));
  if (terms.length === 0) throw queryFault('It must have a term.', 0);
  return terms.map((term) => readTerm(term, zone, isDeletion));
}

function readTerm(term: MailpitTerm, zone: Zone, isDeletion: boolean): Term {
  const { operator: name, value, isExcluded, position } = term;
  const operator = name === null ? anywhere : operators.get(name);
  if (!operator) {
    throw queryFault(
      `"${(name ?? '').slice(0, 40)}:" is not an operator. Put text with a colon into double quotes.`,
      position,
    );
  }
  const condition = value === '' ? null : operator.read(value, zone);
  if (!condition) {
    const what = name === null ? 'A term' : `The value of "${name}:"`;
    throw queryFault(`${what} must be ${operator.form}.`, position);
  }
  if (isDeletion && (condition.kind === 'read' || condition.kind === 'unread')) {
    throw queryFault('No message is ever read, so a deletion cannot depend on it.', position);
  }
  return { condition, isExcluded };
}

/** @param isSpaced whether punctuation equals a space */
function part(fields: readonly PartField[], isSpaced = true): Operator {
  return {
    form: `text with 1 to ${MAX_PART} characters`,
    read(value) {
      const found = textPart(value, isSpaced);
      return found && { kind: 'contains', fields, part: found };
    },
  };
}

function choice(values: Record<string, Condition>): Operator {
  const choices = new Map(Object.entries(values));
  return {
    form: [...choices.keys()].join(' or '),
    read: (value) => choices.get(value.toLowerCase()) ?? null,
  };
}

/** Of 1,024 bytes. Mailpit takes a size of 0 for text. */
function size(kind: 'larger' | 'smaller'): Operator {
  return {
    form: 'a size above 0, such as 20000, 100kb or "1.5 MB"',
    read(value) {
      const [, number, unit = ''] = SIZE.exec(value) ?? [];
      const bytes = Math.floor(Number(number ?? 0) * (BYTES.get(unit.toLowerCase()) ?? 1));
      return bytes > 0 ? { kind, bytes } : null;
    },
  };
}

/** @param shift in ms: Mailpit finds the time itself too */
function time(kind: 'after' | 'before', shift: number): Operator {
  return {
    form: 'a time, such as 2026-01-31 or "2026-01-31 12:00"',
    read(value, zone) {
      const at = parseMailpitTime(value, zone);
      return at && { kind, time: new Date(at.getTime() + shift) };
    },
  };
}
