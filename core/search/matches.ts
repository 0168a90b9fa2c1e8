/** Compiles a query to a predicate, which index and scan both use. */
import type { Person } from '../../db/schema/mail-facts.ts';
import { hasLabel } from '../auth/reach.ts';
import { type Document, envelopeOf, recipientsOf } from '../matching/document.ts';
import type { Sought } from '../matching/body.ts';
import type { LiveState, Part, Predicate } from '../matching/predicate.ts';
import { tagsOf } from '../messages/message-tags.ts';
import { foldText } from '../text/characters.ts';
import { FoldedText } from '../text/folded-text.ts';
import type { QueryWord } from '../text/words.ts';
import type { Condition, ParsedQuery, PartField, WordField } from './query.ts';

/** The needs of a condition. */
function partsOf(condition: Condition): Part[] {
  switch (condition.kind) {
    case 'words':
      if (condition.field === 'any') return ['filename', 'text'];
      return condition.field === 'text' || condition.field === 'filename'
        ? [condition.field]
        : ['summary'];
    case 'contains':
      return [
        ...new Set(condition.fields.flatMap((field): Part[] => PARTS_OF[field] ?? ['summary'])),
      ];
    case 'address':
    case 'domain':
      return ['addresses'];
    case 'file':
    case 'inline':
      return ['details'];
    case 'header':
      return ['header'];
    case 'html':
      return ['html'];
    case 'claimed':
      return ['claim'];
    default:
      return ['summary'];
  }
}

/** What the fields of parts need beside the summary. */
const PARTS_OF: Partial<Record<PartField, Part[]>> = {
  to: ['details'],
  cc: ['details'],
  bcc: ['details'],
  filename: ['filename'],
  body: ['text', 'links'],
  header: ['header'],
};

/** What a condition looks for in the bodies. */
function soughtOf(condition: Condition): Sought | null {
  if (condition.kind === 'words' && ['any', 'text'].includes(condition.field)) {
    return { words: condition.words };
  }
  const isPart = condition.kind === 'contains' && condition.fields.includes('body');
  return isPart ? { part: condition.part, inLinks: true } : null;
}

export function compileQuery(query: ParsedQuery): Predicate {
  const fields = openFields();
  return query.map(({ condition, isExcluded }) => {
    const sought = soughtOf(condition);
    return {
      name: condition.kind,
      needs: partsOf(condition),
      key: JSON.stringify([condition, isExcluded]),
      ...(sought && { sought }),
      matches: (document, live) =>
        matches({ document, live, fields, sought }, condition) !== isExcluded,
    };
  });
}

/** A message that is tested. */
interface Tested {
  document: Document;
  live: LiveState;
  fields: Fields;
  sought: Sought | null;
}

function matches(tested: Tested, condition: Condition): boolean {
  const { document, live } = tested;
  const { message, mail } = document;
  switch (condition.kind) {
    case 'words':
      return hasWords(tested, condition.field, condition.words);
    case 'contains':
      return condition.fields.some((field) =>
        field === 'body'
          ? isInBody(tested)
          : tested.fields.of(document, field).some((text) => text.contains(condition.part)),
      );
    case 'tagged':
      return isTagged(tagsOf(message), condition.tag);
    case 'file':
      return document.details?.hasFile ?? false;
    case 'inline':
      return document.details?.hasInline ?? false;
    case 'read':
      return false;
    case 'unread':
      return true;
    case 'address':
      return (document.addresses?.[condition.field] ?? []).includes(condition.address);
    case 'domain':
      return (document.addresses?.[condition.field] ?? []).some((each) =>
        each.endsWith(`@${condition.domain}`),
      );
    case 'header':
      return (document.header ?? []).some(
        ({ name, value }) =>
          name.toLowerCase() === condition.name && new FoldedText(value).has(condition.words),
      );
    case 'tag':
      return isSame(message.tag, condition.value);
    case 'mailbox':
      return isSame(live.mailbox?.name ?? null, condition.value);
    case 'messageId':
      return isSame(withoutBrackets(mail.messageIdHeader ?? ''), withoutBrackets(condition.value));
    case 'id':
      return isSame(message.id, condition.value);
    case 'label':
      return live.mailbox !== undefined && hasLabel(live.mailbox.labels, condition.label);
    case 'after':
      return message.receivedAt > condition.time;
    case 'thread':
      return (message.facts?.threadId ?? null) === condition.value;
    case 'list':
      return isSame(message.facts?.listId ?? null, condition.value);
    case 'date':
      return isDatedAfter(message.facts?.date, condition.time);
    case 'before':
      return message.receivedAt < condition.time;
    case 'larger':
      return mail.size > condition.bytes;
    case 'smaller':
      return mail.size < condition.bytes;
    case 'attachment':
      return mail.attachmentCount > 0;
    case 'html':
      return document.hasHtml ?? false;
    case 'claimed':
      return live.isClaimed;
    case 'caught':
      return message.envelopeTo !== null;
  }
}

function isInBody({ document, sought }: Tested): boolean {
  return sought !== null && (document.body?.has(sought) ?? false);
}

function hasWords(tested: Tested, field: WordField, words: QueryWord[]): boolean {
  return (
    shortTexts(tested.document, field).some((text) => new FoldedText(text).has(words)) ||
    isInBody(tested)
  );
}

/** The texts of a field, without the bodies. */
function shortTexts(document: Document, field: WordField): readonly string[] {
  const { mail, message, filenames = [] } = document;
  switch (field) {
    case 'any':
      return [
        mail.subject,
        ...sendersOf(document),
        ...recipientsOf(document),
        ...filenames,
        ...(message.tag === null ? [] : [message.tag]),
      ];
    case 'from':
      return sendersOf(document);
    case 'to':
      return recipientsOf(document);
    case 'cc':
      return mail.cc;
    case 'replyTo':
      return repliesOf(document).flatMap(({ address, name }) => [address, name ?? '']);
    case 'subject':
      return [mail.subject];
    case 'filename':
      return filenames;
    case 'text':
      return [];
  }
}

type TextField = Exclude<PartField, 'body'>;

/** The folded texts of fields in which parts are looked for. */
interface Fields {
  of: (document: Document, field: TextField) => FoldedText[];
}

/** Keeps those of one message, at which several conditions look. */
function openFields(): Fields {
  let last: Document | null = null;
  let known = new Map<TextField, FoldedText[]>();
  return {
    of(document, field) {
      if (document !== last) known = new Map();
      last = document;
      const texts =
        known.get(field) ?? partTexts(document, field).map((text) => new FoldedText(text));
      known.set(field, texts);
      return texts;
    },
  };
}

/** The texts of a field, each of which can have a part. */
function partTexts(document: Document, field: TextField): readonly string[] {
  const { mail, message, details, filenames = [], header = [] } = document;
  switch (field) {
    case 'subject':
      return [mail.subject];
    case 'messageId':
      return [mail.messageIdHeader ?? ''];
    case 'from':
      return [personText({ address: mail.fromAddress, name: mail.fromName })];
    case 'replyTo':
      return repliesOf(document).map(personText);
    case 'to':
    case 'cc':
    case 'bcc':
      return (details?.people[field] ?? []).map(personText);
    case 'envelopeFrom':
      return [message.envelopeFrom ?? ''];
    case 'envelopeTo':
      return envelopeOf(document);
    case 'filename':
      return filenames;
    case 'header':
      return header.map(({ value }) => value);
  }
}

function sendersOf({ mail: { fromAddress, fromName } }: Document): string[] {
  return [fromAddress, ...(fromName === null ? [] : [fromName])];
}

function repliesOf({ message }: Document): readonly Person[] {
  return message.facts?.replyTo ?? [];
}

function personText({ name, address }: Person): string {
  return `${name ?? ''} ${address}`;
}

function isTagged(tags: string[], asked: string | null): boolean {
  return asked === null ? tags.length > 0 : tags.some((each) => isSame(each, asked));
}

function isDatedAfter(date: string | null | undefined, time: Date): boolean {
  return date !== null && date !== undefined && new Date(date) > time;
}

function isSame(text: string | null, value: string): boolean {
  return text !== null && foldText(text) === foldText(value);
}

function withoutBrackets(messageId: string): string {
  return messageId.trim().replace(/^<(.*)>$/s, '$1');
}
