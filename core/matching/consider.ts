/** Tests messages for all readers that ask for them: each condition once, however many have it. */
import type { NumberedMessage } from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';
import { openPauses } from '../pauses.ts';
import type { Document } from './document.ts';
import type { Documents, Loaded } from './documents.ts';
import type { Condition, Predicate } from './predicate.ts';
import type { Entry } from './reader.ts';

/** The test of a message. */
export interface Tested<Row extends NumberedMessage> {
  document: Document | undefined;
  isClaimed: boolean;
  /** The conditions of a reader that it does not match. */
  failedOf: (entry: Entry<Row>) => readonly Condition[];
}

/** The conditions of all, each once. */
export function unionOf<Row extends NumberedMessage>(entries: readonly Entry<Row>[]): Predicate {
  const byKey = new Map<string, Condition>();
  for (const { reader } of new Map(entries.map((entry) => [entry.key, entry])).values()) {
    for (const condition of reader.predicate) byKey.set(condition.key, condition);
  }
  return [...byKey.values()];
}

interface Considering<Row extends NumberedMessage> {
  documents: Documents;
  log: Context['log'];
  predicate: Predicate;
  /** Asked before each batch. */
  isOver: (count: number) => boolean;
  /** Called with each batch that was loaded; false if nobody wants it. */
  begin?: () => boolean;
  /** Gets null for a message that is gone. */
  take: (row: Row, tested: Tested<Row> | null) => void;
}

/**
 * Gives the messages to `take` in their order, with pauses for other work of the process. Resolves
 * to whether all were taken. What was loaded together is tested together: a long message that is
 * loaded again costs more than its test.
 */
export async function considerRows<Row extends NumberedMessage>(
  rows: readonly Row[],
  { documents, log, predicate, isOver, begin = () => true, take }: Considering<Row>,
): Promise<boolean> {
  const pause = openPauses();
  let count = 0;
  for await (const batch of documents.load(rows, predicate, { isOver: () => isOver(count) })) {
    if (!begin()) return false;
    for (const loaded of batch) {
      take(loaded.row, await test(log, predicate, loaded, pause));
      count += 1;
      await pause();
    }
  }
  return count === rows.length;
}

async function test<Row extends NumberedMessage>(
  log: Context['log'],
  predicate: Predicate,
  { row, document, isClaimed }: Loaded<Row>,
  pause: () => Promise<void>,
): Promise<Tested<Row> | null> {
  if (document === null) return null;
  const failed = new Set<string>();
  try {
    for (const { key, matches } of document ? predicate : []) {
      if (document && !matches(document, { isClaimed })) failed.add(key);
      await pause();
    }
  } catch (error) {
    log.warn('message left out, because it cannot be read', { messageId: row.id, error });
    return null;
  } finally {
    document?.body?.forget();
  }
  const known = new Map<string, readonly Condition[]>();
  const failedOf = ({ key: of, reader }: Entry<Row>) => {
    const found = known.get(of) ?? reader.predicate.filter(({ key }) => failed.has(key));
    known.set(of, found);
    return found;
  };
  return { document, isClaimed, failedOf };
}
