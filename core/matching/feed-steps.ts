/**
 * One step of the readers of a lane: they begin, or the first group of them reads on. Readers at
 * the same place are a group, which reads up to the place of the next one and joins it.
 */
import type { NumberedMessage } from '../../db/statements/messages.ts';
import type { Context } from '../context.ts';
import { type Tested, considerRows, unionOf } from './consider.ts';
import type { Documents } from './documents.ts';
import {
  type Entries,
  type Entry,
  type Place,
  type Reader,
  type Source,
  afterNumber,
  comparePlaces,
} from './reader.ts';
import type { Lane, Slices } from './slices.ts';

/** What the lanes of a feed share. */
export interface FeedParts<Row extends NumberedMessage> {
  context: Pick<Context, 'store' | 'log'>;
  documents: Documents;
  slices: Slices;
  source: Source<Row>;
  /** Called after each step, before the next one. */
  settle: (lane: Lane) => Promise<void>;
  entries: Entries<Row>;
  /** Rises with each request to read on. */
  demand: () => number;
}

/** How far a step reads. */
export interface Step {
  last: number;
  asked: number;
  size: number;
  isOver: () => boolean;
}

/** @returns makes one step for those that want messages */
export function openSteps<Row extends NumberedMessage>({
  context,
  documents,
  source,
  entries,
}: FeedParts<Row>): (all: Entry<Row>[], at: Step) => Promise<void> {
  const step = async (all: Entry<Row>[], at: Step): Promise<void> => {
    const fresh = all.find(({ place }) => place === null);
    if (fresh) return begin(all, fresh.reader, at.last);
    const early = all.find(({ first }) => first.length > 0);
    if (early) return considerFirst(all, early.first, at);
    const places = all.flatMap(({ place }) => place ?? []);
    const place = places.reduce((least, each) => (comparePlaces(each, least) < 0 ? each : least));
    const group = all.filter((each) => each.place && comparePlaces(each.place, place) === 0);
    return readGroup(group, all, place, at);
  };

  const begin = async (all: Entry<Row>[], { start, startKey }: Reader<Row>, last: number) => {
    const begun = await start(last);
    for (const entry of all) {
      if (entry.place !== null || entry.reader.startKey !== startKey) continue;
      entry.place = begun.place;
      entry.first = begun.first;
      entry.reader.begun?.(begun);
    }
  };

  const considerFirst = async (all: Entry<Row>[], first: Row[], { isOver }: Step) => {
    const group = all.filter((entry) => entry.first === first);
    let left = first;
    await consider(
      group,
      first,
      { isOver, isStill: (entry) => entry.first === left },
      (_row, taking) => {
        left = left.slice(1);
        for (const entry of taking) entry.first = left;
      },
    );
  };

  const readGroup = async (
    group: Entry<Row>[],
    all: Entry<Row>[],
    from: Place,
    { last, asked, size, isOver }: Step,
  ): Promise<void> => {
    const upTo = nextNumber(all, from, last);
    const { rows, end } =
      from.number >= upTo ? { rows: [], end: null } : await source.after(from, upTo, size);
    let place = from;
    for (const entry of group) entry.place = place;
    // One that is moved, because another process has its message, does not go on.
    const isStill = (entry: Entry<Row>) => entry.place === place;
    const isWhole = await consider(group, rows, { isOver, isStill }, ({ number, id }, taking) => {
      place = { number, id };
      for (const entry of taking) entry.place = place;
    });
    if (!isWhole) return;
    const next = end ?? (from.number > upTo ? from : afterNumber(upTo));
    for (const entry of group) {
      if (!isStill(entry)) continue;
      entry.place = next;
      if (end || upTo < last) continue;
      entry.served = asked;
      entry.reader.reached?.();
    }
  };

  /** The place of the next group, which the first one joins there. */
  const nextNumber = (all: Entry<Row>[], from: Place, last: number) => {
    let next = last;
    for (const { place } of all) {
      const isAhead = place !== null && place.number > from.number;
      if (isAhead && place.id === afterNumber(0).id) next = Math.min(next, place.number);
    }
    return next;
  };

  const consider = async (
    group: Entry<Row>[],
    rows: Row[],
    { isOver, isStill }: { isOver: () => boolean; isStill: (entry: Entry<Row>) => boolean },
    passed: (row: Row, taking: Entry<Row>[]) => void,
  ): Promise<boolean> => {
    let taking: Entry<Row>[] = [];
    const begin = () => {
      taking = group.filter((each) => entries.has(each) && isStill(each) && each.reader.wants());
      return taking.length > 0;
    };
    const take = (row: Row, tested: Tested<Row> | null) => {
      for (const entry of taking) {
        if (!tested || !isStill(entry) || !entry.reader.includes(row)) continue;
        entry.reader.consider(row, tested.document, tested.failedOf(entry));
      }
      passed(row, taking.filter(isStill));
    };
    return considerRows(rows, {
      ...{ documents, log: context.log, predicate: unionOf(group), begin, take },
      isOver: (count) => count > 0 && isOver(),
    });
  };

  return step;
}
