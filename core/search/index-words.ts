/** The words by which the index finds mails, and those that a query asks it for. */
import type { IndexedWord } from '../../db/search-index.ts';
import { comparableAddress } from '../addresses.ts';
import { type Task, lengthOf } from '../mime/task.ts';
import { bodyTexts, shownTexts } from '../matching/body.ts';
import type { Condition, ParsedQuery } from './query.ts';
import { foldText } from '../text/characters.ts';
import { type QueryWord, tokenize } from '../text/words.ts';

/** A mail as it is indexed, with all messages that it shows as. */
export interface IndexedMail {
  subject: string;
  /** Names of From and Reply-To. */
  names: string[];
  /** Sender, To, Cc, Reply-To and envelope recipients. */
  addresses: string[];
  tags: string[];
  filenames: string[];
  listIds: string[];
  threadIds: string[];
  text: string | null;
  html: string | null;
  mailboxes: { id: string; workspaceId: string }[];
}

/** Longer words are cut, in queries as well. In code points. */
const MAX_WORD = 32;
/** A mail with more is proposed for each query. */
const MAX_WORDS = 20_000;
const MAX_UNITS = 200_000;
/** The word of a mail that is proposed for each query. No word of a text has a colon. */
export const EXEMPT = 'all:';
/** Words of a query that the index is asked for: the longest ones. */
const MAX_ASKED = 8;
/** Shorter starts of words without accents have too many words. */
const MIN_PREFIX = 3;

export const workspaceWord = (id: string) => `w:${id}`;
export const mailboxWord = (id: string) => `b:${id}`;
const threadWord = (id: string) => `t:${id}`;

/** The words of a mail. */
export const indexedWords: Task<IndexedMail, string[]> = {
  name: 'indexedWords',
  sizeOf: sizeToIndex,
  inlineSize: 48 * 1024,
  run: wordsToIndex,
};

/** A mail with its bodies as far as conditions see them. */
export function toIndex(mail: IndexedMail): IndexedMail {
  return { ...mail, ...bodyTexts(mail) };
}

/** Addresses count double, as they are compared in two forms. */
function sizeToIndex(mail: IndexedMail): number {
  const { subject, names, addresses, tags, filenames, listIds, text, html } = mail;
  const others = [subject, ...names, ...addresses, ...addresses, ...tags, ...filenames, ...listIds];
  return others.reduce((sum, { length }) => sum + length, lengthOf(text) + lengthOf(html));
}

/** Each word once. */
function wordsToIndex(mail: IndexedMail): string[] {
  const { subject, names, addresses, tags, filenames, listIds, threadIds } = mail;
  const scopes = mail.mailboxes.flatMap(({ id, workspaceId }) => [
    workspaceWord(workspaceId),
    mailboxWord(id),
  ]);
  const threads = threadIds.map(threadWord);
  const all = [
    subject,
    ...names,
    ...addresses.flatMap((address) => [address, comparableAddress(address)]),
    ...tags,
    ...filenames,
    ...listIds,
    ...shownTexts(mail),
  ];
  const words = new Set<string>();
  let units = 0;
  for (const text of all) {
    for (const word of tokenize(foldText(text))) {
      const short = cut(word);
      if (words.has(short)) continue;
      words.add(short);
      units += short.length;
      if (words.size > MAX_WORDS || units > MAX_UNITS) return [...new Set([...scopes, EXEMPT])];
    }
  }
  return [...new Set([...scopes, ...threads, ...words])];
}

/**
 * Words that the mail of each message has that matches the query. Empty if the query has none, or
 * only such as nearly all mails have.
 */
export function wordsToQuery(query: ParsedQuery): IndexedWord[] {
  const words = query
    .flatMap(({ condition, isExcluded }) => (isExcluded ? [] : wordsIn(condition)))
    .map(({ word, isPrefix }) => {
      const short = cut(word);
      return { word: short, isPrefix: isPrefix && short === word };
    });
  const selective = words.filter(({ word, isPrefix }) => !isPrefix || isSelective(word));
  const distinct = new Map(selective.map((each) => [`${each.word} ${each.isPrefix}`, each]));
  return [...distinct.values()].sort((a, b) => b.word.length - a.word.length).slice(0, MAX_ASKED);
}

function wordsIn(condition: Condition): QueryWord[] {
  switch (condition.kind) {
    case 'words':
      return condition.words;
    case 'address':
      return whole(condition.address);
    case 'domain':
      return whole(condition.domain);
    case 'tag':
    case 'list':
      return whole(condition.value);
    case 'thread':
      return [{ word: threadWord(condition.value), isPrefix: false }];
    default:
      return [];
  }
}

function whole(text: string): QueryWord[] {
  return tokenize(foldText(text)).map((word) => ({ word, isPrefix: false }));
}

function isSelective(prefix: string): boolean {
  return prefix.length >= MIN_PREFIX || /[^\0-\x7f]/.test(prefix);
}

function cut(word: string): string {
  if (word.length <= MAX_WORD) return word;
  return Array.from(word).slice(0, MAX_WORD).join('');
}
