/** Adds stored mails to the search index, after they are stored, and counts those that wait. */
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { SearchEntry } from '../../db/search-index.ts';
import { attachmentsOf } from '../../db/statements/attachments.ts';
import {
  removeUnindexed,
  mailsToIndex,
  messagesToIndex,
  unindexedMails,
  skipUnindexed,
  countUnindexed,
} from '../../db/statements/search.ts';
import { query } from '../../db/store.ts';
import { inBatches } from '../batches.ts';
import type { Context } from '../context.ts';
import { DatabaseUnavailable } from '../../db/errors.ts';
import { idTime } from '../ids.ts';
import { scanStarts } from '../scan-start.ts';
import { attachmentName } from '../messages/files.ts';
import { indexJob } from './index-job.ts';
import { indexedWords, toIndex } from './index-words.ts';

type Indexing = Pick<Context, 'store' | 'log' | 'readGuard' | 'ingest'>;

const MAILS_AT_ONCE = 500;
/**
 * A transaction holds the write lock of SQLite, and its mails the processor: with 50 mails the 95th
 * percentile from 250 to visible was 31 ms instead of 10.
 */
const BATCH = {
  maxItems: 10,
  maxBytes: 256 * 1024,
  bytesOf: ({ size }: { size: number }) => size,
};

/** The id of a mail is older than its row, by the time for which the mail waited to be stored. */
const FULL_SCAN_MS = 30_000;
const starts = scanStarts('', FULL_SCAN_MS);

/**
 * Asked before each batch, with the time of its oldest mail in milliseconds since 1970.
 * @returns the milliseconds to wait before the batch, or null to end
 */
export type IndexPace = (oldest: number) => Promise<number | null> | number | null;

/**
 * Indexes pending mails, the oldest first, until none is left.
 * @returns the number of mails
 */
export async function indexMails(context: Indexing, pace: IndexPace = () => 0): Promise<number> {
  const start = starts(context.store);
  let total = 0;
  let from = start.next();
  for (;;) {
    const pending = await context.store.query(unindexedMails, from, MAILS_AT_ONCE);
    from = pending[0]?.id ?? from;
    if (pending.length > 0) start.set(from);
    const indexed = await indexInBatches(context, pending, pace);
    if (indexed > 0) await tidy(context);
    total += indexed;
    if (indexed < MAILS_AT_ONCE) return total;
  }
}

/** Resolves to the number of mails that were indexed before `pace` ended it. */
async function indexInBatches(
  context: Indexing,
  pending: { id: string; size: number }[],
  pace: IndexPace,
): Promise<number> {
  let indexed = 0;
  for (const batch of inBatches(pending, BATCH)) {
    const ids = batch.map(({ id }) => id);
    const pauseMs = await pace(idTime(ids[0] ?? ''));
    if (pauseMs === null) break;
    if (pauseMs > 0) await delay(pauseMs);
    await context.readGuard.readAll(
      indexJob.name,
      ids,
      (some) => indexBatch(context, some),
      (id) => skip(context, id),
    );
    indexed += ids.length;
  }
  return indexed;
}

/** A user of the database who does not own the index cannot tidy it. */
async function tidy({ store, log }: Indexing): Promise<void> {
  try {
    await store.search.tidy();
  } catch (error) {
    log.debug('search index not tidied', { error });
  }
}

/**
 * One mail must not keep others from being indexed. If a batch fails, its mails are indexed one by
 * one, and a mail that fails by itself is skipped.
 */
async function indexBatch(
  { store, log, ingest }: Pick<Context, 'store' | 'log' | 'ingest'>,
  ids: string[],
): Promise<void> {
  try {
    const entries = await entriesOf({ store, ingest }, ids);
    const known = new Set(entries.map(({ mailId }) => mailId));
    const empty = ids.filter((id) => !known.has(id));
    if (empty.length > 0) await store.transaction((tx) => query(removeUnindexed(tx, empty)));
    await store.search.add(entries);
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    if (ids.length > 1) {
      for (const id of ids) await indexBatch({ store, log, ingest }, [id]);
      return;
    }
    const [id = ''] = ids;
    log.warn('mail skipped by the search index', { mailId: id, error });
    await skip({ store }, id);
  }
}

async function skip({ store }: Pick<Context, 'store'>, id: string): Promise<void> {
  await store.transaction((tx) => query(skipUnindexed(tx, [id])));
}

/**
 * The entries of those mails that a mailbox shows. Each mail has a turn of the event loop, and a
 * large one a child process.
 */
async function entriesOf(
  { store, ingest }: Pick<Context, 'store' | 'ingest'>,
  ids: string[],
): Promise<SearchEntry[]> {
  const [mails, messages, attachments] = await Promise.all([
    store.query(mailsToIndex, ids),
    store.query(messagesToIndex, ids),
    store.query(attachmentsOf, ids),
  ]);
  const entries: SearchEntry[] = [];
  for (const { id, fromAddress, fromName, to, cc, subject, text, html } of mails) {
    const shown = messages.filter(({ mailId }) => mailId === id);
    const [first] = shown;
    if (!first) continue;
    // The facts of all messages of a mail are the same, except the thread.
    const { replyTo = [], listId = null } = first.facts ?? {};
    const mail = toIndex({
      subject,
      names: [fromName, ...replyTo.map(({ name }) => name)].filter((name) => name !== null),
      addresses: [
        ...new Set([
          fromAddress,
          ...to,
          ...cc,
          ...replyTo.map(({ address }) => address),
          ...shown.flatMap(({ recipient, envelopeTo }) => envelopeTo ?? [recipient]),
        ]),
      ],
      tags: shown.flatMap(({ tag }) => tag ?? []),
      filenames: attachments.filter(({ mailId }) => mailId === id).map(attachmentName),
      listIds: listId === null ? [] : [listId],
      threadIds: shown.flatMap(({ facts }) => facts?.threadId ?? []),
      ...{ text, html },
      mailboxes: shown.map(({ mailboxId, workspaceId }) => ({ id: mailboxId, workspaceId })),
    });
    await nextTurn();
    const words = await ingest.parsePool.run(indexedWords, mail);
    entries.push({ mailId: id, receivedAt: first.receivedAt, words });
  }
  return entries;
}

/** Counting this many takes milliseconds on both databases. */
const MAX_COUNTED = 100_000;
/** Separate from those of {@link indexMails}, which passes mails that are skipped. */
const lagStarts = scanStarts('', FULL_SCAN_MS);

interface Unindexed {
  /** Mails that the index does not have, counted up to the limit. */
  unindexed: number;
  /**
   * When the oldest mail that waits for the index arrived, in ms since 1970; undefined without one.
   */
  since: number | undefined;
}

/**
 * How far the search index is behind the stored mail. A mail that waited to be stored while newer
 * ones were is counted within 30 s.
 */
export async function indexLag(
  { store }: Pick<Context, 'store'>,
  limit = MAX_COUNTED,
): Promise<Unindexed> {
  const start = lagStarts(store);
  const [found] = await store.query(countUnindexed, limit, start.next());
  if (found?.first) start.set(found.first);
  return { unindexed: found?.count ?? 0, since: found?.next ? idTime(found.next) : undefined };
}
