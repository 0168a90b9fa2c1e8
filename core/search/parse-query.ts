/** The grammar of search: terms and operators with their values. */
import type { AddressField } from '../matching/document.ts';
import { comparableAddress, mailboxNameOf, normalizeDomain } from '../addresses.ts';
import { parseLabel } from '../auth/reach.ts';
import type { Condition, ExactKind, ParsedQuery, WordField } from './query.ts';
import { type WrittenTerm, queryFault, readTerms } from './read-terms.ts';
import { queryWords } from '../text/words.ts';
import { parseIsoTime } from '../parse-iso-time.ts';

const TIME_FORMS = 'a date (2026-01-31), a time (2026-01-31T12:00:00Z), or an age (30m, 2h, 3d)';
const SIZE_FORMS = 'a number of bytes, such as 20000, 500k or 2m';

const AGE = /^(\d{1,6})([smhdw])$/i;
const AGE_MS = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 7 * 86_400_000],
]);
const SIZE = /^(\d{1,15})([km]?)$/i;

/** What the values of a query refer to. */
export interface QuerySetting {
  /** Ms since 1970, from which `2h` and `3d` count back. */
  now: number;
  /** The domain of the workspace, whose addresses stand for mailboxes. */
  domain: string;
}

/** Reads the value of an operator. Null if it is not valid. */
type Reader = (term: WrittenTerm, setting: QuerySetting) => Condition | null;

interface Operator {
  read: Reader;
  /** What the value must be. */
  form: string;
}

const operators = new Map<string, Operator>([
  ['from', people('from')],
  ['to', people('to')],
  ['cc', people('cc')],
  ['reply-to', people('replyTo')],
  ['subject', words('subject')],
  ['text', words('text')],
  ['filename', words('filename')],
  ['tag', exact('tag', 'a tag')],
  ['mailbox', { read: readMailbox, form: 'the name or address of a mailbox' }],
  ['message-id', exact('messageId', 'a Message-ID')],
  ['id', exact('id', 'the id of a message')],
  ['thread', exact('thread', 'the id of a thread')],
  ['list', exact('list', 'the identifier of a mailing list')],
  ['label', { read: readLabel, form: 'a label as key:value' }],
  ['header', { read: readHeader, form: 'a name and words, as in header:"X-Team: blue"' }],
  ['after', time('after')],
  ['before', time('before')],
  ['date', time('date')],
  ['larger', size('larger')],
  ['smaller', size('smaller')],
  ['has', choice({ attachment: { kind: 'attachment' }, html: { kind: 'html' } })],
  ['is', choice({ claimed: { kind: 'claimed' }, caught: { kind: 'caught' } })],
]);

/** The names of all operators. */
export const operatorNames: readonly string[] = [...operators.keys()];

/**
 * Parses the query of a search. An empty text is an empty query.
 * @throws {AppError} `invalid_request` with `details: [{ position }]`, in UTF-16 code units from 0.
 */
export function parseQuery(text: string, setting: QuerySetting): ParsedQuery {
  return readTerms(text).map((term) => ({
    condition: readCondition(term, setting),
    isExcluded: term.isExcluded,
  }));
}

function readCondition(term: WrittenTerm, setting: QuerySetting): Condition {
  const { operator: name, value, position } = term;
  if (name === null) {
    const condition = words('any').read(term, setting);
    if (!condition)
      throw queryFault(`"${value.slice(0, 40)}" must contain a letter or digit.`, position);
    return condition;
  }
  const operator = operators.get(name);
  if (!operator) {
    throw queryFault(
      `"${name.slice(0, 40)}:" is not an operator. Put text with a colon into double quotes.`,
      position,
    );
  }
  const condition = value.trim() === '' ? null : operator.read(term, setting);
  if (!condition) throw queryFault(`The value of "${name}:" must be ${operator.form}.`, position);
  return condition;
}

function words(field: WordField): Operator {
  return {
    form: 'text with a letter or digit',
    read: ({ value, isQuoted }) => {
      const found = queryWords(value, isQuoted);
      return found.length === 0 ? null : { kind: 'words', field, words: found };
    },
  };
}

function people(field: AddressField): Operator {
  return {
    form: 'an address, @domain, or text with a letter or digit',
    read: (term, setting) => {
      const value = term.value.trim();
      const at = value.lastIndexOf('@');
      if (at < 0) return words(field).read(term, setting);
      const domain = value.slice(at + 1);
      if (domain === '') return null;
      return at === 0
        ? { kind: 'domain', field, domain: normalizeDomain(domain) || domain.toLowerCase() }
        : { kind: 'address', field, address: comparableAddress(value) };
    },
  };
}

function exact(kind: ExactKind, form: string): Operator {
  return { form, read: ({ value }) => ({ kind, value: value.trim() }) };
}

function time(kind: 'after' | 'before' | 'date'): Operator {
  return {
    form: TIME_FORMS,
    read: ({ value }, { now }) => {
      const at = parseTime(value.trim(), now);
      return at && { kind, time: at };
    },
  };
}

function size(kind: 'larger' | 'smaller'): Operator {
  return {
    form: SIZE_FORMS,
    read: ({ value }) => {
      const bytes = parseByteSize(value.trim());
      return bytes === null ? null : { kind, bytes };
    },
  };
}

function choice(values: Record<string, Condition>): Operator {
  const choices = new Map(Object.entries(values));
  return {
    form: [...choices.keys()].join(' or '),
    read: ({ value }) => choices.get(value.trim().toLowerCase()) ?? null,
  };
}

function readMailbox({ value }: WrittenTerm, { domain }: QuerySetting): Condition {
  return { kind: 'mailbox', value: mailboxNameOf(value.trim(), domain) };
}

function readLabel({ value }: WrittenTerm): Condition | null {
  const label = parseLabel(value.trim());
  return label && label.key !== '' ? { kind: 'label', label } : null;
}

function readHeader({ value, isQuoted }: WrittenTerm): Condition | null {
  const [, name = '', rest = ''] = /^\s*([\x21-\x39\x3b-\x7e]+):(.*)$/s.exec(value) ?? [];
  const found = queryWords(rest, isQuoted);
  return found.length === 0 ? null : { kind: 'header', name: name.toLowerCase(), words: found };
}

/** An ISO 8601 time, UTC without an offset, or an age before `now`. Null for other text. */
function parseTime(text: string, now: number): Date | null {
  const [, count, unit = ''] = AGE.exec(text) ?? [];
  if (count === undefined) return parseIsoTime(text);
  return new Date(now - Number(count) * (AGE_MS.get(unit.toLowerCase()) ?? 0));
}

/** Bytes; `k` is 1,000 and `m` 1,000,000. Null for other text. */
function parseByteSize(text: string): number | null {
  const [, digits, unit = ''] = SIZE.exec(text) ?? [];
  if (digits === undefined) return null;
  const factor = { k: 1000, m: 1_000_000 }[unit.toLowerCase()] ?? 1;
  return Number(digits) * factor;
}
