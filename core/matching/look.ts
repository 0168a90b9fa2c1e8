/** What a wait knows of the messages that it considers. It is kept while the wait lasts. */
import { comparePositions } from '../messages/cursor.ts';
import type { Criterion, CriterionName } from './criteria.ts';
import { type Document, startOfSubject } from './document.ts';
import type { FoundMessage } from './message-source.ts';
import type { Condition } from './predicate.ts';
import { type Place, type Reader, type Start, comparePlaces } from './reader.ts';

const MAX_NEAREST = 5;
/** Matching messages that are kept with the order `newest`. */
const KEPT_NEWEST = 1000;
/** Messages that a claim can change and that are kept; with more, the reader begins again. */
const MAX_CHANGEABLE = 10_000;

/** A message that does not match, and why. */
export interface NearMiss {
  messageId: string;
  subject: string;
  /** The name of its mailbox, if the source has several. */
  mailbox?: string;
  failed: CriterionName[];
}

export interface Considered extends NearMiss {
  number: number;
}

export interface MatchQuery {
  criteria: Criterion[];
  /** Only messages with a greater number. */
  after?: number;
  /** Only messages received after this time. */
  since?: Date;
  /** Number of messages to return at most. */
  count: number;
  /** Which messages are returned, and their order: that of their numbers, or the opposite. */
  order: 'oldest' | 'newest';
  /** Number of considered messages that are listed at most, whether they match or not. */
  listed?: number;
}

export interface Look extends Reader<FoundMessage> {
  /** The messages that match, in the order of the query. */
  matches: () => FoundMessage[];
  /** Forgets messages that were deleted: those after them count instead. */
  forget: (ids: ReadonlySet<string>) => void;
  /** Rises with each change of what matches. */
  version: () => number;
  considered: () => Considered[];
  unmatched: () => { count: number; nearest: NearMiss[] };
  isCut: () => boolean;
  /** The place after which it reads; null before it begins. */
  from: () => Place | null;
}

/** @param enough called when as many match as asked for */
export function openLook(
  { criteria, after, since, count, order, listed = 0 }: MatchQuery,
  start: Pick<Reader<FoundMessage>, 'start' | 'startKey'>,
  enough: () => void,
): Look {
  let matching: FoundMessage[] = [];
  let considered: Considered[] = [];
  let nearest: NearMiss[] = [];
  let changeable = new Set<string>();
  let missed = 0;
  let version = 0;
  let begun: Start<FoundMessage> | null = null;
  const canChange = (failed: readonly Condition[]) =>
    changeable.size <= MAX_CHANGEABLE &&
    criteria.some(({ name }) => name === 'claimed') &&
    failed.every(({ name }) => name === 'claimed');

  const add = (row: FoundMessage) => {
    const at = matching.findLastIndex((other) => comparePlaces(other, row) < 0);
    matching.splice(at + 1, 0, row);
    if (order === 'newest' && matching.length > KEPT_NEWEST) matching.shift();
    version += 1;
    if (order === 'oldest' && matching.length >= count) enough();
  };
  const miss = (one: NearMiss) => {
    missed += 1;
    addMiss(nearest, one);
  };
  const isIn = ({ window }: Start<FoundMessage>, row: FoundMessage) =>
    !window || row.number > window.upTo || comparePositions(row, window.oldest) >= 0;

  return {
    predicate: criteria,
    ...start,
    begun(made) {
      begun = made;
      [matching, considered, nearest, changeable, missed] = [[], [], [], new Set(), 0];
      version += 1;
    },
    wants: () => order === 'newest' || matching.length < count,
    includes: (row) =>
      !(after !== undefined && row.number <= after) &&
      !(since && row.receivedAt <= since) &&
      (!begun || isIn(begun, row)),
    consider(row, document, failed) {
      const one = missOf(row, document, failed);
      if (considered.length < listed) considered.push({ ...one, number: row.number });
      if (canChange(failed)) changeable.add(row.id);
      if (failed.length === 0) add(row);
      else miss(one);
    },
    changed(row, document, failed) {
      const at = matching.findIndex(({ id }) => id === row.id);
      if (at >= 0 === (failed.length === 0)) return;
      if (at < 0) {
        missed -= 1;
        nearest = nearest.filter(({ messageId }) => messageId !== row.id);
        add(row);
        if (matching.length >= count) enough();
      } else {
        matching.splice(at, 1);
        version += 1;
        miss(missOf(row, document, failed));
      }
    },
    reached() {
      if (matching.length >= count) enough();
    },
    changeable: () => (changeable.size > MAX_CHANGEABLE ? null : changeable),
    matches: () => (order === 'newest' ? matching.toReversed() : matching),
    forget(ids) {
      matching = matching.filter(({ id }) => !ids.has(id));
      for (const id of ids) changeable.delete(id);
      version += 1;
    },
    version: () => version,
    considered: () => considered,
    unmatched: () => ({ count: missed, nearest: [...nearest] }),
    isCut: () => begun?.isCut ?? false,
    from: () => begun?.place ?? null,
  };
}

function missOf(
  { id: messageId, mailboxName }: FoundMessage,
  document: Document | undefined,
  failed: readonly Condition[],
): NearMiss {
  return {
    messageId,
    subject: document ? startOfSubject(document) : '',
    ...(mailboxName === undefined ? {} : { mailbox: mailboxName }),
    failed: failed.map(({ name }) => name as CriterionName),
  };
}

/** Keeps the messages with the fewest failures, and of equal ones the newest, which come last. */
function addMiss(misses: NearMiss[], miss: NearMiss): void {
  const place = misses.findIndex(({ failed }) => failed.length >= miss.failed.length);
  if (place < 0 && misses.length >= MAX_NEAREST) return;
  misses.splice(place < 0 ? misses.length : place, 0, miss);
  if (misses.length > MAX_NEAREST) misses.pop();
}
