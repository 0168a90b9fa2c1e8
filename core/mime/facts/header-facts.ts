/** What the header of a mail tells beside sender, recipients and subject. */
import type { EmailAddress, HeaderLines } from 'mailparser';
import type { MailDetails, MessageFacts } from '../../../db/schema/mail-facts.ts';
import { joinSpaces } from '../../text/characters.ts';
import { withoutBlanks } from '../canonical/header-block.ts';
import { decodeEncodedWords } from '../words.ts';
import { withoutOuterComments } from './comments.ts';
import { readDateField } from './date-field.ts';
import { fit } from './fit.ts';

export interface HeaderFacts
  extends Omit<MessageFacts, 'threadId'>, Pick<MailDetails, 'references' | 'to' | 'cc' | 'bcc'> {
  /** The first of References, else In-Reply-To, else Message-ID: the first mail of the thread. */
  threadRoot: string | null;
}

/** Fields from which the facts are read, beside those that each mail shows. */
export const FACT_FIELDS = [
  ...['date', 'sender', 'reply-to', 'bcc', 'in-reply-to', 'references'],
  ...['auto-submitted', 'list-id', 'x-tags'],
];
/** Fields that are read as lines: without folding, one character per byte. */
const LINES = new Set([
  ...['date', 'in-reply-to', 'references', 'message-id', 'auto-submitted', 'list-id', 'x-tags'],
]);
/** Fields that are address lists. */
export const ADDRESS_FIELDS: ReadonlySet<string> = new Set([
  ...['from', 'to', 'cc', 'sender', 'reply-to', 'bcc'],
]);

const MAX_REFERENCES = 200;
const MAX_REPLY_TO = 10;
const MAX_TAG_LENGTH = 100;
/** Characters of the field that are read. */
const MAX_TAGS_LENGTH = 4096;

/** @param people the addresses of the fields that have some, by name */
export function readHeaderFacts(
  people: ReadonlyMap<string, EmailAddress[]>,
  lines: HeaderLines,
): HeaderFacts {
  const personsOf = (name: string, limit = Infinity) =>
    (people.get(name) ?? [])
      .flatMap(({ address, name: display }) =>
        address ? [{ address: fit(address), name: fit(display) || null }] : [],
      )
      .slice(0, limit);
  const values = fieldValues(lines);
  const valueOf = (name: string) => values.get(name) ?? '';
  const [sender = null] = personsOf('sender');
  const references = messageIds(valueOf('references'));
  const [inReplyTo = null] = messageIds(valueOf('in-reply-to'));
  const [messageId = null] = messageIds(valueOf('message-id'));
  const tags = tagsIn(valueOf('x-tags'));
  return {
    ...(tags.length > 0 ? { tags } : {}),
    date: readDateField(valueOf('date'))?.toISOString() ?? null,
    sender,
    inReplyTo,
    references,
    threadRoot: references[0] ?? inReplyTo ?? messageId,
    to: personsOf('to'),
    cc: personsOf('cc'),
    bcc: personsOf('bcc'),
    replyTo: personsOf('reply-to', MAX_REPLY_TO),
    autoSubmitted: keyword(valueOf('auto-submitted')),
    listId: listId(valueOf('list-id')),
  };
}

/** The first field of each name in {@link LINES}, without its name, in UTF-8. */
function fieldValues(lines: HeaderLines): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const { key, line } of lines) {
    if (!LINES.has(key) || values.has(key)) continue;
    const value = withoutBlanks(line.slice(line.indexOf(':') + 1));
    values.set(key, /[\x80-\xff]/.test(value) ? Buffer.from(value, 'latin1').toString() : value);
  }
  return values;
}

/**
 * The Message-IDs of a field (RFC 5322 section 3.6.4), at most the first 200. Without angle
 * brackets, the words with an at sign, or else the only word.
 */
function messageIds(value: string): string[] {
  if (value === '') return [];
  const text = withoutOuterComments(value);
  const bracketed = firstOf(text.matchAll(/<([^<>]*)>/g));
  if (bracketed.length > 0) return bracketed;
  const words = firstOf(text.matchAll(/([^\s<>,;]+)/g));
  return words.length > 1 ? words.filter((word) => word.includes('@')) : words;
}

function firstOf(matches: Iterable<RegExpMatchArray>): string[] {
  const found: string[] = [];
  for (const [, content = ''] of matches) {
    const id = fit(content.replace(/\s+/g, ''));
    if (id !== '') found.push(`<${id}>`);
    if (found.length === MAX_REFERENCES) break;
  }
  return found;
}

function keyword(value: string): string | null {
  if (value === '') return null;
  const [word = ''] = withoutOuterComments(value).split(';', 1);
  return fit(word.trim().toLowerCase()) || null;
}

function listId(value: string): string | null {
  if (value === '') return null;
  const text = withoutOuterComments(value);
  const start = text.lastIndexOf('<');
  const end = text.indexOf('>', start);
  const id = start < 0 ? text : text.slice(start + 1, end < 0 ? text.length : end);
  return fit(id.trim()) || null;
}

/**
 * Separated by commas, with the characters that tags have in Mailpit, for which clients write the
 * field.
 */
function tagsIn(value: string): string[] {
  if (value === '') return [];
  return fit(decodeEncodedWords(value.slice(0, MAX_TAGS_LENGTH)))
    .split(',')
    .map((tag) => joinSpaces(tag.replace(/[^\w\-.@]/g, ' ')).slice(0, MAX_TAG_LENGTH))
    .filter((tag) => tag !== '');
}
