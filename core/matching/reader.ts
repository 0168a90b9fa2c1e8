/** What reads the messages of a feed in the order of their numbers, and where it is. */
import type { MessagePosition, NumberedMessage } from '../../db/statements/messages.ts';
import type { Document } from './document.ts';
import type { Condition, Predicate } from './predicate.ts';
import type { Lane } from './slices.ts';

/** A place in the order of numbers. Messages of earlier versions share the number 0. */
export interface Place {
  number: number;
  id: string;
}

/** Sorts after every id. */
const LAST_ID = '~';
/** After all messages up to a number. */
export const afterNumber = (number: number): Place => ({ number, id: LAST_ID });

export function comparePlaces(a: Place, b: Place): number {
  return a.number - b.number || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/** Where the messages of a feed are. */
export interface Source<Row extends NumberedMessage> {
  workspaceId: string;
  /** Up to `limit` messages after a place and up to a number; `end` is null if none is left. */
  after: (place: Place, upTo: number, limit: number) => Promise<{ rows: Row[]; end: Place | null }>;
  /** Those of these messages that it shows now, in any order. */
  among: (messageIds: string[]) => Promise<Row[]>;
  /** Whether messages with a live claim are left out. */
  isFree?: boolean;
}

/** Where a reader begins: messages that it considers first, and the place after which it reads. */
export interface Start<Row> {
  first: Row[];
  place: Place;
  /** Of the messages up to the last number, only those at this position or newer count. */
  window?: { oldest: MessagePosition; upTo: number };
  /** Whether messages that the reader asks for are left out. */
  isCut?: boolean;
}

export interface Reader<Row extends NumberedMessage> {
  readonly predicate: Predicate;
  /** Readers with the same key that begin together share the answer of {@link start}. */
  readonly startKey: string;
  start: (last: number) => Promise<Start<Row>>;
  /** It begins, or begins again: what it knows is forgotten. */
  begun?: (start: Start<Row>) => void;
  /** Whether it considers more messages. */
  wants: () => boolean;
  /** Whether the message counts. */
  includes: (row: Row) => boolean;
  /** The next message in the order of the numbers, and the conditions that it does not match. */
  consider: (row: Row, document: Document | undefined, failed: readonly Condition[]) => void;
  /** A message that was considered, and whose claim has changed. */
  changed?: (row: Row, document: Document | undefined, failed: readonly Condition[]) => void;
  /** All messages up to the last number were considered. */
  reached?: () => void;
  /** The messages that a claim can change; null if they are too many, so that it begins again. */
  changeable?: () => Iterable<string> | null;
}

/** The start of a reader after all messages up to a number. */
export function startAfter<Row extends NumberedMessage>(
  number: number,
): Pick<Reader<Row>, 'start' | 'startKey'> {
  const start = { first: [], place: afterNumber(number) };
  return { startKey: `after ${number}`, start: () => Promise.resolve(start) };
}

/** A reader of a feed, and how far it is. */
export interface Entry<Row extends NumberedMessage> {
  readonly reader: Reader<Row>;
  readonly lane: Lane;
  readonly seesClaims: boolean;
  /** Readers with the same key have equal predicates. */
  readonly key: string;
  /** It has considered all messages up to here; null before its start. */
  place: Place | null;
  /** Messages before its place that are not considered yet. */
  first: Row[];
  /** The demand up to which it is served; -1 before it has come to the last number. */
  served: number;
  waiting: Waiting[];
}

interface Waiting {
  /** The demand that it waits for: what is stored later does not keep it. */
  demand: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Readers of a feed in the order in which they have entered. */
export type Entries<Row extends NumberedMessage> = Set<Entry<Row>>;
