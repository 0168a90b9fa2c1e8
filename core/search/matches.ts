/** The predicate of search: whether a message matches a query. Index and scan both use it. */
import { comparableAddress } from '../addresses.ts';
import { type SearchDocument, TextField } from './document.ts';
import type { AddressField, Condition, Term, WordField } from './query.ts';
import { type QueryWord, foldWords } from './words.ts';

/** The part of a {@link SearchDocument} that a condition needs. */
export type DocumentPart = 'summary' | 'claim' | 'filename' | 'text' | 'header';

/** All needs, those that cost least first. */
export const DOCUMENT_PARTS: readonly DocumentPart[] = [
  'summary',
  'claim',
  'filename',
  'text',
  'header',
];

/** The needs of a condition. */
export function documentPartsOf(condition: Condition): DocumentPart[] {
  switch (condition.kind) {
    case 'words':
      if (condition.field === 'any') return ['filename', 'text'];
      return condition.field === 'text' || condition.field === 'filename'
        ? [condition.field]
        : ['summary'];
    case 'header':
      return ['header'];
    case 'html':
      return ['text'];
    case 'claimed':
      return ['claim'];
    default:
      return ['summary'];
  }
}

export function matches(document: SearchDocument, { condition, isExcluded }: Term): boolean {
  return matchesCondition(document, condition) !== isExcluded;
}

function matchesCondition(document: SearchDocument, condition: Condition): boolean {
  switch (condition.kind) {
    case 'words':
      return hasWords(document, condition.field, condition.words);
    case 'address':
      return addressesOf(document, condition.field).some(
        (each) => comparableAddress(each) === condition.address,
      );
    case 'domain':
      return addressesOf(document, condition.field).some((each) =>
        comparableAddress(each).endsWith(`@${condition.domain}`),
      );
    case 'header':
      return document.header.some(
        ({ name, value }) =>
          name.toLowerCase() === condition.name && new TextField(() => value).has(condition.words),
      );
    case 'tag':
      return isSame(document.tag, condition.value);
    case 'mailbox':
      return isSame(document.mailbox.name, condition.value);
    case 'messageId':
      return isSame(withoutBrackets(document.messageId ?? ''), withoutBrackets(condition.value));
    case 'id':
      return isSame(document.id, condition.value);
    case 'label':
      return labelOf(document, condition.label.key) === condition.label.value;
    case 'after':
      return document.receivedAt > condition.time;
    case 'thread':
      return document.threadId === condition.value;
    case 'list':
      return isSame(document.listId, condition.value);
    case 'date':
      return document.date !== null && document.date > condition.time;
    case 'before':
      return document.receivedAt < condition.time;
    case 'larger':
      return document.size > condition.bytes;
    case 'smaller':
      return document.size < condition.bytes;
    case 'attachment':
      return document.hasAttachment;
    case 'html':
      return document.hasHtml;
    case 'claimed':
      return document.isClaimed;
    case 'caught':
      return document.isCaught;
  }
}

function hasWords(document: SearchDocument, field: WordField, words: QueryWord[]): boolean {
  return (
    shortTexts(document, field).some((text) => new TextField(() => text).has(words)) ||
    ((field === 'any' || field === 'text') && document.texts.some((text) => text.has(words)))
  );
}

/** The texts of a field, without the bodies. */
function shortTexts(document: SearchDocument, field: WordField): string[] {
  const { subject, from, to, cc, filenames, tag } = document;
  const sender = [from.address, ...(from.name === null ? [] : [from.name])];
  switch (field) {
    case 'any':
      return [subject, ...sender, ...to, ...filenames, ...(tag === null ? [] : [tag])];
    case 'from':
      return sender;
    case 'to':
      return to;
    case 'cc':
      return cc;
    case 'replyTo':
      return document.replyTo.flatMap(({ address, name }) => [address, name ?? '']);
    case 'subject':
      return [subject];
    case 'filename':
      return filenames;
    case 'text':
      return [];
  }
}

function addressesOf({ from, to, cc, replyTo }: SearchDocument, field: AddressField): string[] {
  return { from: [from.address], to, cc, replyTo: replyTo.map(({ address }) => address) }[field];
}

function labelOf({ mailbox }: SearchDocument, key: string): string | undefined {
  return Object.hasOwn(mailbox.labels, key) ? mailbox.labels[key] : undefined;
}

function isSame(text: string | null, value: string): boolean {
  return text !== null && foldWords(text) === foldWords(value);
}

function withoutBrackets(messageId: string): string {
  return messageId.trim().replace(/^<(.*)>$/s, '$1');
}
