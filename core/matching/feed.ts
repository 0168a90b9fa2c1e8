/**
 * Reads the messages of a mailbox or workspace for all that ask for them, in the order of their
 * numbers. Rows, documents and claims are loaded once for all. Each reader keeps its place, so a
 * slice goes on where the last one ended, and what happens later reaches a reader as an increment:
 * new messages are after its place, and a claim that is made, released or has ended is a test of
 * its message.
 */
import type { NumberedMessage } from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';
import type { Documents } from './documents.ts';
import { type FeedLane, openLane } from './feed-lane.ts';
import { laneOf, seesClaims } from './predicate.ts';
import type { Entries, Entry, Place, Reader, Source } from './reader.ts';
import type { Lane, Slices } from './slices.ts';

export interface Feed<Row extends NumberedMessage> {
  enter: (reader: Reader<Row>) => FeedReader<Row>;
  /** Messages were stored, of which one has this number; unknown if there may be any. */
  stored: (number?: number) => void;
  /** A claim of the message was made or released, or has ended. */
  changed: (messageIds: Iterable<string>) => void;
  /** Events of messages and of claims can have been lost. */
  missed: () => void;
  /** Whether a reader looks at claims. */
  seesClaims: () => boolean;
}

export interface FeedReader<Row extends NumberedMessage> {
  /** Where it is: it has considered all messages up to here. */
  place: () => Place | null;
  /** Goes back, or on, to a place; null for its start. */
  moveTo: (place: Place | null) => void;
  /** Considers these messages before it goes on. */
  first: (rows: Row[]) => void;
  /** Tests the messages again that a claim can change. */
  checkClaims: () => void;
  /**
   * Reads on. Resolves when all that was stored before the call is considered, or it wants no more.
   * @throws {DatabaseUnavailable}
   */
  catchUp: () => Promise<void>;
  /** Whether it has come to the last number. */
  isServed: () => boolean;
  leave: () => void;
}

interface FeedServices {
  documents: Documents;
  slices: Slices;
}

/** @param settle called after each step of a lane, before the next one */
export function openFeed<Row extends NumberedMessage>(
  context: Pick<Context, 'store' | 'log'>,
  services: FeedServices,
  source: Source<Row>,
  settle: (lane: Lane) => Promise<void> = () => Promise.resolve(),
): Feed<Row> {
  const entries: Entries<Row> = new Set();
  let demand = 0;
  const parts = { context, ...services, source, settle, entries, demand: () => demand };
  const lanes: Record<Lane, FeedLane> = {
    short: openLane(parts, 'short'),
    long: openLane(parts, 'long'),
  };

  const readOn = (number?: number) => {
    demand += 1;
    for (const lane of Object.values(lanes)) lane.readOn(number);
  };
  const changed = (messageIds: Iterable<string>) => {
    const ids = [...messageIds];
    for (const lane of Object.values(lanes)) lane.changed(ids);
  };

  const enter = (reader: Reader<Row>): FeedReader<Row> => {
    const { predicate } = reader;
    const entry: Entry<Row> = {
      reader,
      lane: laneOf(predicate),
      seesClaims: seesClaims(predicate),
      key: predicate.map(({ key }) => key).join('\n'),
      ...{ place: null, first: [], served: -1, waiting: [] },
    };
    entries.add(entry);
    const moveTo = (place: Place | null) => {
      putAt(entry, place);
      lanes[entry.lane].readOn();
    };
    return {
      place: () => entry.place,
      moveTo,
      first(rows) {
        if (rows.length === 0) return;
        entry.first = [...entry.first, ...rows];
        entry.served = -1;
      },
      checkClaims() {
        if (entry.place) changedFor(entry, moveTo);
      },
      catchUp() {
        if (!entries.has(entry)) return Promise.resolve(); // it has left meanwhile
        return new Promise((resolve, reject) => {
          entry.waiting.push({ demand: demand + 1, resolve, reject });
          readOn();
        });
      },
      isServed: () => entry.served >= 0,
      leave() {
        entries.delete(entry);
        for (const { resolve } of entry.waiting.splice(0)) resolve();
      },
    };
  };

  const putAt = (entry: Entry<Row>, place: Place | null) => {
    entry.place = place;
    entry.first = [];
    entry.served = -1;
  };

  const changedFor = (entry: Entry<Row>, moveTo: (place: null) => void) => {
    const ids = entry.reader.changeable?.();
    if (ids === null) moveTo(null);
    else if (ids) lanes[entry.lane].changed(ids);
  };

  return {
    enter,
    stored: readOn,
    changed,
    missed() {
      for (const entry of entries) {
        changedFor(entry, (place) => {
          putAt(entry, place);
        });
      }
      readOn();
    },
    seesClaims: () => source.isFree ?? [...entries].some((entry) => entry.seesClaims),
  };
}
