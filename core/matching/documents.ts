/**
 * The messages that predicates look at. A document is loaded once in a process, however many ask
 * for it at the same time, and is kept as far as it is small: the content of a message never
 * changes. Bodies are read a few at a time: 24 requests that read at the same time what they looked
 * at took 3.8 GB.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { liveClaimsAmong } from '../../db/statements/claims.ts';
import {
  type PagedMessage,
  messageSummariesById,
  messagesById,
} from '../../db/statements/messages.ts';
import { inBatches } from '../batches.ts';
import { asAppError } from '../errors.ts';
import { openWeightedSemaphore } from '../limits/weighted-semaphore.ts';
import type { Extractions } from '../messages/extractions.ts';
import { ReadingLimit } from '../mime/parser-pool.ts';
import { openPauses } from '../pauses.ts';
import { shareLoads } from '../share-runs.ts';
import { type Sought, keyOf } from './body.ts';
import { type LoadingParts, addLong, addShort, lacks, withoutLong } from './document-parts.ts';
import { type Document, bytesOf, documentOf } from './document.ts';
import { type Part, type Predicate, areLong, partsOf, readsBodies } from './predicate.ts';

/** What is kept, and of one message. A longer document keeps what is always short. */
const KEPT_BYTES = 16 * 1024 * 1024;
const MOST_KEPT_OF_ONE = 64 * 1024;
/**
 * Bytes of bodies that are read at the same time. Folded, and with what HTML becomes, they are
 * more.
 */
const READ_AT_ONCE = 4 * 1024 * 1024;
/** Other parts of a message than its bodies. */
const LEAST_BYTES = 32 * 1024;
/** Messages that are loaded at once. */
const AT_ONCE = 100;
const MOST_BODY_BYTES = 1024 * 1024;

type Row = Pick<PagedMessage, 'id' | 'bodyBytes'>;

export interface Documents {
  /**
   * Loads messages in their order, with the parts that the predicate needs, and yields them in
   * batches that fit into memory together.
   */
  load: <Some extends Row>(
    rows: readonly Some[],
    predicate: Predicate,
    options?: LoadOptions,
  ) => AsyncGenerator<Loaded<Some>[]>;
}

interface LoadOptions {
  /** Asked before each batch; once true, no more are loaded. */
  isOver?: () => boolean;
  /** Whether long parts are kept; a search reads each once. */
  keepsLong?: boolean;
}

export interface Loaded<Some> {
  row: Some;
  /**
   * Null if the message was deleted meanwhile or cannot be read; undefined if nothing is needed.
   */
  document: Document | null | undefined;
  /** Whether it has a live claim; false unless the predicate needs it. It is read each time. */
  isClaimed: boolean;
}

/** What is loaded of each message. */
interface Wanted {
  parts: ReadonlySet<Part>;
  asked: Sought[];
  keepsLong: boolean;
}

export function openDocuments(
  context: LoadingParts,
  extractions: Pick<Extractions, 'of'>,
): Documents {
  const kept = new LRUCache<string, Document>({
    maxSize: KEPT_BYTES,
    maxEntrySize: MOST_KEPT_OF_ONE,
    sizeCalculation: bytesOf,
  });
  const reading = openWeightedSemaphore(READ_AT_ONCE);
  /** The readings of long parts that run, by message. */
  const loading = new Map<string, Promise<void>>();

  const keep = (document: Document, keepsLong: boolean) => {
    if (!keepsLong && kept.has(document.message.id)) return;
    const isKept = keepsLong && document.body?.units !== null;
    const small =
      isKept && bytesOf(document) <= MOST_KEPT_OF_ONE ? document : withoutLong(document);
    kept.set(document.message.id, small);
  };

  /** Null if the work fails: one message must not make each request fail that comes to it. */
  const unlessFailing = async <Result>(
    messageId: string,
    work: () => Result | Promise<Result>,
  ): Promise<Result | null> => {
    try {
      return await work();
    } catch (error) {
      const isAway = asAppError(error)?.code === 'unavailable' && !(error instanceof ReadingLimit);
      if (isAway) throw error;
      context.log.warn('message left out, because it cannot be read', { messageId, error });
      return null;
    }
  };

  /** Requests that ask for a message at the same time read it once. */
  const loadSummaries = shareLoads(async (messages: { id: string }[]) => {
    const ids = messages.map(({ id }) => id);
    const rows = await messageSummariesById(context.store, ids);
    return new Map(rows.map((row) => [row.message.id, documentOf(row)]));
  });

  /** Adds the documents of these messages with all parts. */
  const loadWhole = async (
    missing: readonly Row[],
    found: Map<string, Document>,
    { parts, asked, keepsLong }: Wanted,
  ): Promise<void> => {
    const needsBodies = readsBodies(parts);
    const rows = needsBodies ? await messagesById(context.store, idsOf(missing)) : [];
    const mails = new Map(rows.map((mail) => [mail.message.id, mail]));
    const summaries = needsBodies
      ? new Map<string, Document>()
      : await loadSummaries(missing.filter(({ id }) => !kept.has(id)));
    const documents = missing.flatMap(({ id }) => {
      const mail = mails.get(id);
      if (needsBodies && !mail) return [];
      const document = kept.get(id) ?? (mail ? documentOf(mail) : summaries.get(id));
      return document ? [{ ...document }] : [];
    });
    const pause = openPauses();
    await addShort(context, documents, parts, pause);
    for (const document of documents) {
      const { id } = document.message;
      const mail = mails.get(id);
      const add = async () => {
        await addLong(context, extractions, document, { mail, parts, asked });
        keep(document, keepsLong);
        return document;
      };
      if (await unlessFailing(id, add)) found.set(id, document);
      await pause(); // long mail takes milliseconds
    }
  };

  const loadBatch = async (
    rows: readonly Row[],
    wanted: Wanted,
  ): Promise<Map<string, Document>> => {
    const found = new Map<string, Document>();
    const addKept = (some: readonly Row[]) =>
      some.filter(({ id }) => {
        const known = kept.get(id);
        if (!known || lacks(known, wanted.parts)) return true;
        found.set(id, known);
        return false;
      });
    const missing = addKept(rows);
    if (missing.length === 0) return found;
    if (!areLong(wanted.parts)) {
      await loadWhole(missing, found, wanted);
      return found;
    }
    let left = missing;
    for (;;) {
      const running = new Set(left.flatMap(({ id }) => loading.get(id) ?? []));
      if (running.size === 0) break;
      await Promise.allSettled(running); // a failure is told to those that have begun it
      left = addKept(left);
      if (left.length === 0) return found;
    }
    const weight = left.reduce((sum, { bodyBytes }) => sum + bodyBytes + LEAST_BYTES, 0);
    const whole = reading.runExclusive(weight, () => loadWhole(left, found, wanted));
    for (const { id } of left) loading.set(id, whole);
    try {
      await whole;
    } finally {
      for (const { id } of left) if (loading.get(id) === whole) loading.delete(id);
    }
    return found;
  };

  return {
    async *load(rows, predicate, { isOver = () => false, keepsLong = true } = {}) {
      const parts = partsOf(predicate);
      const asked = new Map(
        predicate.flatMap(({ sought }) => (sought ? [[keyOf(sought), sought]] : [])),
      );
      const wanted = { parts, asked: [...asked.values()], keepsLong };
      const readsDocuments = [...parts].some((part) => part !== 'claim');
      const limits = {
        maxItems: AT_ONCE,
        maxBytes: readsBodies(parts) ? MOST_BODY_BYTES : Infinity,
        bytesOf: ({ bodyBytes }: Row) => bodyBytes,
      };
      for (const some of inBatches(rows, limits)) {
        if (isOver()) return;
        const found = readsDocuments ? await loadBatch(some, wanted) : null;
        const claims = parts.has('claim')
          ? await context.store.query(liveClaimsAmong, idsOf(some))
          : [];
        const claimed = new Set(claims.map(({ messageId }) => messageId));
        yield some.map((row) => ({
          row,
          document: found ? (found.get(row.id) ?? null) : undefined,
          isClaimed: claimed.has(row.id),
        }));
        if (parts.size > 0) await nextTurn(); // SQLite reads without yielding
      }
    },
  };
}

function idsOf(rows: readonly Row[]): string[] {
  return rows.map(({ id }) => id);
}
