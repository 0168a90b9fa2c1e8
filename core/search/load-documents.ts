/** Loads messages with the parts that a query needs, and finds those that match it. */
import pLimit from 'p-limit';
import { attachmentsOf } from '../../db/statements/attachments.ts';
import { liveClaimsAmong } from '../../db/statements/claims.ts';
import {
  type MessageAndMail,
  type PagedMessage,
  messageSummariesById,
  messagesById,
} from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';
import { attachmentName } from '../messages/files.ts';
import { storedHeaders } from '../messages/headers.ts';
import type { SearchDocument, SummaryFields } from './document.ts';
import { type DocumentPart, DOCUMENT_PARTS, matches, documentPartsOf } from './matches.ts';
import type { ParsedQuery, Term } from './query.ts';
import type { QueryWord } from './words.ts';
import { openPauses } from '../pauses.ts';
import { bodyTexts, findWords, textsOf } from './find-words.ts';

export type Searching = Pick<Context, 'config' | 'store' | 'now' | 'blobs' | 'log' | 'ingest'>;

/** A message that may match a query. */
export interface SearchCandidate extends PagedMessage {
  mailbox: SummaryFields['mailbox'];
}

interface Loaded {
  candidate: SearchCandidate;
  row: MessageAndMail;
  document: SearchDocument;
}

/** Bytes of a header that conditions see. */
const MAX_HEADER_BYTES = 64 * 1024;
/** All searches together test one longer body at a time, which takes memory and time. */
const LONG_BYTES = 32 * 1024;
const oneLongTest = pLimit(1);

/** Whether the bodies of messages are read for this query. */
export function readsBodies(query: ParsedQuery): boolean {
  return query.some(({ condition }) => documentPartsOf(condition).includes('text'));
}

/**
 * Those of up to 100 candidates that match the query. Parts that cost more are loaded for fewer.
 */
export async function filterByQuery<Some extends SearchCandidate>(
  context: Searching,
  candidates: Some[],
  query: ParsedQuery,
): Promise<Some[]> {
  if (candidates.length === 0 || query.length === 0) return candidates;
  const stages = stagesOf(query);
  const startsWithBodies = stages[0]?.needs.includes('text') ?? false;
  let left = await load(context, candidates, startsWithBodies);
  for (const { needs, terms } of stages) {
    if (needs.includes('text') && !startsWithBodies) left = await loadBodies(context, left);
    for (const need of needs) await loaders[need](context, left);
    left = await filtered(context, left, terms);
    if (left.length === 0) return [];
  }
  const ids = new Set(left.map(({ candidate }) => candidate.id));
  return candidates.filter(({ id }) => ids.has(id));
}

/** Drops what each test makes of the bodies: folded, and cut into words, they are larger. */
async function filtered(context: Searching, loaded: Loaded[], terms: Term[]): Promise<Loaded[]> {
  const left: Loaded[] = [];
  const pause = openPauses();
  for (const each of loaded) {
    const { document, candidate } = each;
    const isLong = candidate.bodyBytes > LONG_BYTES && document.texts.length > 0;
    const test = async () => {
      if (isLong) document.texts = await foundIn(context, each, terms);
      const isMatch = () => terms.every((term) => matches(document, term));
      if (unlessFailing(context, document, isMatch)) left.push(each);
      for (const text of document.texts) text.forget();
      await pause();
    };
    await (isLong ? oneLongTest(test) : test());
  }
  return left;
}

/** Of a search, which ends between messages. */
const NEVER = new AbortController().signal;

/**
 * The texts of long bodies, as far as the terms look at them. A body that cannot be read has no
 * text that is found.
 */
async function foundIn(
  context: Searching,
  { row: { message, mail } }: Loaded,
  terms: readonly Term[],
): Promise<SearchDocument['texts']> {
  const asked = terms.flatMap(({ condition }) =>
    condition.kind === 'words' ? [condition.words] : [],
  );
  const { text, html } = bodyTexts(mail);
  const reader = { workspaceId: message.workspaceId, gone: NEVER };
  const found = await context.ingest.reading.run(reader, findWords, () => ({ text, html, asked }));
  const has = new Set<readonly QueryWord[]>(asked.filter((_words, n) => found[n]));
  return [{ has: (words) => has.has(words), forget: () => undefined }];
}

/** The terms by the most costly part that they need. */
function stagesOf(query: ParsedQuery): { needs: DocumentPart[]; terms: Term[] }[] {
  return DOCUMENT_PARTS.flatMap((_need, rank) => {
    const terms = query.filter(({ condition }) => {
      const needs = documentPartsOf(condition);
      return DOCUMENT_PARTS.findLastIndex((each) => needs.includes(each)) === rank;
    });
    const needs = [...new Set(terms.flatMap(({ condition }) => documentPartsOf(condition)))];
    return terms.length === 0 ? [] : [{ needs, terms }];
  });
}

/** Null if the work fails: one message must not make each search fail that comes to it. */
function unlessFailing<Result>(
  { log }: Pick<Searching, 'log'>,
  { id }: { id: string },
  work: () => Result,
): Result | null {
  try {
    return work();
  } catch (error) {
    log.warn('message left out of a search', { messageId: id, error });
    return null;
  }
}

async function load(
  { store, log }: Searching,
  candidates: SearchCandidate[],
  withBodies: boolean,
): Promise<Loaded[]> {
  const ids = candidates.map(({ id }) => id);
  const rows = withBodies
    ? await messagesById(store, ids)
    : (await messageSummariesById(store, ids)).map(({ message, mail }) => ({
        message,
        mail: { ...mail, text: null, html: null },
      }));
  const byId = new Map(rows.map((row) => [row.message.id, row]));
  return candidates.flatMap((candidate) => {
    const row = byId.get(candidate.id); // absent if the message was deleted meanwhile
    const document = row && unlessFailing({ log }, candidate, () => documentOf(candidate, row));
    return document ? [{ candidate, row, document }] : [];
  });
}

async function loadBodies({ store }: Searching, loaded: Loaded[]): Promise<Loaded[]> {
  const rows = await messagesById(
    store,
    loaded.map(({ candidate }) => candidate.id),
  );
  const byId = new Map(rows.map((row) => [row.message.id, row]));
  return loaded.flatMap(({ candidate, document }) => {
    const row = byId.get(candidate.id);
    return row ? [{ candidate, row, document: { ...document, ...bodiesOf(row) } }] : [];
  });
}

/** Each sets one part of the documents. */
const loaders: Record<DocumentPart, (context: Searching, loaded: Loaded[]) => Promise<void>> = {
  summary: async () => undefined,
  text: async () => undefined,
  async claim({ store }, loaded) {
    const ids = loaded.map(({ candidate }) => candidate.id);
    const claims = await store.query(liveClaimsAmong, ids);
    const claimed = new Set(claims.map(({ messageId }) => messageId));
    for (const { candidate, document } of loaded) document.isClaimed = claimed.has(candidate.id);
  },
  async filename({ store }, loaded) {
    const carrying = loaded.filter(({ document }) => document.hasAttachment);
    const mailIds = [...new Set(carrying.map(({ row }) => row.mail.id))];
    if (mailIds.length === 0) return;
    const attachments = await store.query(attachmentsOf, mailIds);
    for (const { row, document } of carrying) {
      document.filenames = attachments
        .filter(({ mailId }) => mailId === row.mail.id)
        .map(attachmentName);
    }
  },
  async header(context, loaded) {
    for (const { row, document } of loaded) {
      document.header = await storedHeaders(context, row, MAX_HEADER_BYTES);
    }
  },
};

function documentOf({ mailbox }: SearchCandidate, row: MessageAndMail): SearchDocument {
  const { message, mail } = row;
  const { facts } = message;
  return {
    id: message.id,
    mailbox,
    tag: message.tag,
    receivedAt: message.receivedAt,
    size: mail.size,
    messageId: mail.messageIdHeader,
    subject: mail.subject,
    from: { address: mail.fromAddress, name: mail.fromName },
    to: [...new Set([...recipientsOf(message), ...mail.to, ...mail.cc])],
    cc: mail.cc,
    replyTo: facts?.replyTo ?? [],
    threadId: facts?.threadId ?? null,
    listId: facts?.listId ?? null,
    date: facts?.date ? new Date(facts.date) : null,
    hasAttachment: mail.attachmentCount > 0,
    isCaught: message.envelopeTo !== null,
    isClaimed: false,
    filenames: [],
    header: [],
    ...bodiesOf(row),
  };
}

function recipientsOf({ envelopeTo, recipient }: MessageAndMail['message']): string[] {
  return envelopeTo ?? [recipient];
}

function bodiesOf({ mail: { text, html } }: Pick<MessageAndMail, 'mail'>) {
  return { texts: textsOf({ text, html }), hasHtml: html !== null };
}
