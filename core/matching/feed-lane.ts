/**
 * Reads for those readers of a feed that need long parts of messages, or for the others: in slices,
 * until none of them wants more.
 */
import type { NumberedMessage } from '../../db/statements/messages.ts';
import { errorText } from '../errors.ts';
import { lastNumberIn } from '../messages/mark.ts';
import { type Tested, considerRows, unionOf } from './consider.ts';
import { type FeedParts, openSteps } from './feed-steps.ts';
import type { Condition } from './predicate.ts';
import { comparePlaces } from './reader.ts';
import { type Lane, SLICE_MS } from './slices.ts';

const FIRST_PAGE = 50;
const PAGE = 1000;
const CHANGES_AT_ONCE = 100;
const RETRY_MS = 1000;

export interface FeedLane {
  /**
   * Reads on, up to this number; without one, up to the last. The number of a message that was
   * stored is enough: those before it are visible (docs/decisions.md, 8).
   */
  readOn: (upTo?: number) => void;
  /** The claims of these messages have changed. */
  changed: (messageIds: Iterable<string>) => void;
}

export function openLane<Row extends NumberedMessage>(parts: FeedParts<Row>, lane: Lane): FeedLane {
  const { context, documents, slices, source, settle, entries, demand } = parts;
  const step = openSteps(parts);
  const changes = new Set<string>();
  let known = 0;
  let readsLast = false;
  let isRunning = false;
  let retry: NodeJS.Timeout | null = null;

  const own = () => [...entries].filter((entry) => entry.lane === lane);
  const due = (asked: number) =>
    own().filter(({ served, reader }) => served < asked && reader.wants());
  const isDue = () => changes.size > 0 || due(demand()).length > 0;

  const resolveServed = () => {
    for (const entry of own()) {
      if (entry.waiting.length === 0) continue;
      const isFull = !entry.reader.wants();
      const { waiting } = entry;
      entry.waiting = waiting.filter((one) => !isFull && one.demand > entry.served);
      for (const one of waiting) if (isFull || one.demand <= entry.served) one.resolve();
    }
  };

  const fail = (error: unknown) => {
    context.log.debug('messages cannot be read for waiting requests', { fault: errorText(error) });
    for (const entry of own()) for (const { reject } of entry.waiting.splice(0)) reject(error);
    readsLast = true;
    retry = setTimeout(() => {
      retry = null;
      run();
    }, RETRY_MS).unref();
  };

  const run = () => {
    if (isRunning || retry) return;
    if (!isDue()) {
      resolveServed();
      return;
    }
    isRunning = true;
    slices
      .run({ workspaceId: source.workspaceId, lane }, slice)
      .catch(fail)
      .finally(() => {
        isRunning = false;
        run();
      });
  };

  const slice = async (): Promise<boolean> => {
    const end = performance.now() + SLICE_MS;
    const isOver = () => performance.now() > end;
    const asked = demand();
    if (readsLast) {
      readsLast = false;
      known = Math.max(known, await lastNumberIn(context, source));
    }
    const last = known;
    await applyChanges(isOver);
    // One step at least: many changes must not keep it from reading on.
    for (let size = FIRST_PAGE; ; size = Math.min(size * 4, PAGE)) {
      const all = due(asked);
      if (all.length > 0) await step(all, { last, asked, size, isOver });
      await settle(lane);
      resolveServed();
      if (all.length === 0 || isOver()) break;
    }
    return isDue();
  };

  /** Tests messages again, for the readers that have passed them: the others come to them. */
  const applyChanges = async (isOver: () => boolean) => {
    while (changes.size > 0 && !isOver()) {
      const ids = [...changes].slice(0, CHANGES_AT_ONCE);
      for (const id of ids) changes.delete(id);
      const seeing = own().filter((entry) => entry.place && (source.isFree ?? entry.seesClaims));
      if (seeing.length === 0) continue;
      const rows = await source.among(ids);
      const take = (row: Row, tested: Tested<Row> | null) => {
        if (!tested || (source.isFree && tested.isClaimed)) return;
        for (const entry of seeing) {
          const { reader, place } = entry;
          if (!entries.has(entry) || !place || comparePlaces(row, place) > 0) continue;
          if (!reader.includes(row)) continue;
          reader.changed?.(row, tested.document, tested.failedOf(entry));
        }
      };
      await considerRows(rows, {
        ...{ documents, log: context.log, predicate: [...unionOf(seeing), CLAIM], take },
        isOver: () => false,
      });
    }
  };

  return {
    readOn(upTo) {
      if (upTo === undefined) readsLast = true;
      else known = Math.max(known, upTo);
      run();
    },
    changed(messageIds) {
      for (const id of messageIds) changes.add(id);
      run();
    },
  };
}

/** Makes a loading read the claims. */
const CLAIM: Condition = { name: 'claimed', key: '', needs: ['claim'], matches: () => true };
