/**
 * The requests of this process that claim messages of one mailbox. They are readers of the free
 * messages, and each keeps its place. What matches is claimed once a request has its limit or has
 * read all that is there, in one transaction for all such requests. A message goes to the request
 * that comes to it first, and among those that read together to the earliest. Requests that lose a
 * message to another process go back to it.
 */
import { firstUnclaimed, freeMessages, releasedMessages } from '../../db/statements/claims.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { NumberedMessage } from '../../db/statements/messages.ts';
import { tokenRevoked } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { mailboxNotFound } from '../mailboxes/mailboxes.ts';
import type { Documents } from '../matching/documents.ts';
import { type FeedReader, openFeed } from '../matching/feed.ts';
import { numberedOf } from '../matching/message-source.ts';
import { type Source, type Start, afterNumber, comparePlaces } from '../matching/reader.ts';
import { laneOf } from '../matching/predicate.ts';
import type { Lane, Slices } from '../matching/slices.ts';
import { type Assigned, type Claimer, claimAssigned } from './claim-transaction.ts';

const MOST_RELEASED = 200;
/** Before the numbers of all messages. */
export const BEFORE_FIRST_NUMBER = -1;

/**
 * Where the messages of a mailbox begin that can be free: those up to this number are claimed for
 * good, or their lease has ended. No request reads them again (docs/decisions.md, 10).
 */
export interface FreeCursor {
  number: number;
}

export interface ClaimQueue {
  enter: (claimer: Claimer) => QueuedClaimer;
  /** Notes that the message with this number was stored, or that any may have been. */
  stored: (number?: number) => void;
  /** Notes that a claim of the message was released or has ended. */
  released: (messageId: string) => void;
  /** Changes can have been missed. */
  missed: () => void;
}

export interface QueuedClaimer {
  /**
   * Resolves to the number up to which all free messages are considered that were there at the
   * call.
   * @throws {DatabaseUnavailable}
   */
  catchUp: () => Promise<number>;
  /** Considers all messages again whose claim has ended: the events of some may be lost. */
  checkReleased: () => Promise<void>;
  /** Resolves when no transaction contains the request any more. */
  leave: () => Promise<void>;
}

interface Entry {
  claimer: Claimer;
  lane: Lane;
  reading: FeedReader<NumberedMessage>;
  /** Messages that are claimed for it next. */
  assigned: NumberedMessage[];
}

/** @param start is moved */
export function openClaimQueue(
  context: Pick<Context, 'store' | 'now' | 'events' | 'log'>,
  services: { documents: Documents; slices: Slices },
  mailbox: MailboxRow,
  start: FreeCursor,
): ClaimQueue {
  const queue = new Set<Entry>();
  /** The messages that are assigned. */
  const taken = new Set<string>();
  let settling: Promise<void> = Promise.resolve();

  const at = () => ({ mailboxId: mailbox.id, now: new Date(context.now()) });
  const source: Source<NumberedMessage> = {
    workspaceId: mailbox.workspaceId,
    isFree: true,
    async after({ number, id }, upTo, limit) {
      const rows = await context.store.execute(freeMessages, { ...at(), number, id, limit });
      const end = rows.length < limit ? null : (rows.at(-1) ?? null);
      // The last one is read again once all messages up to its number are visible.
      return {
        rows: rows.filter((row) => row.number <= upTo),
        end: end && end.number <= upTo ? end : null,
      };
    },
    among: (ids) => numberedOf(context, mailbox.id, ids),
  };

  const startOf = async (last: number): Promise<Start<NumberedMessage>> => {
    const { number } = start;
    const [first] = await context.store.execute(firstUnclaimed, { ...at(), number });
    start.number = first ? first.number - 1 : last;
    const released = await readReleased(start.number);
    if (!released) return { first: [], place: afterNumber(BEFORE_FIRST_NUMBER) };
    return { first: released, place: afterNumber(start.number) };
  };

  /** Those up to a number; null if they are too many. */
  const readReleased = async (upTo: number): Promise<NumberedMessage[] | null> => {
    const rows = await context.store.execute(releasedMessages, { ...at(), limit: MOST_RELEASED });
    if (rows.length === MOST_RELEASED) return null;
    return rows.filter(({ number }) => number <= upTo).sort(comparePlaces);
  };

  const isOpen = ({ claimer, assigned }: Entry) =>
    !claimer.isGone() && !claimer.isLate() && assigned.length < claimer.limit;

  const includes = ({ after, since }: Claimer, row: NumberedMessage) =>
    (after === undefined || row.number > after) && (!since || row.receivedAt > since);

  /** Whether what is assigned is all that the request gets now. */
  const isDue = (entry: Entry) =>
    entry.assigned.length > 0 && (!isOpen(entry) || entry.reading.isServed());

  /** Claims what one lane has assigned. The transactions of both follow one another. */
  const settle = (lane: Lane): Promise<void> => {
    const isOfLane = (entry: Entry) => entry.lane === lane && isDue(entry);
    if (![...queue].some(isOfLane)) return Promise.resolve();
    settling = settling.catch(() => undefined).then(() => claimFor([...queue].filter(isOfLane)));
    return settling;
  };

  const claimFor = async (entries: Entry[]): Promise<void> => {
    const assigned: Assigned = new Map(entries.map((each) => [each.claimer, each.assigned]));
    for (const entry of entries) entry.assigned = [];
    const results = await claim(assigned, entries);
    const claimed: string[] = [];
    for (const entry of entries) {
      const { claimer } = entry;
      const messages = assigned.get(claimer) ?? [];
      const result = results.get(claimer);
      if (result === 'revoked' || result === 'unreachable') {
        remove(entry, messages);
        claimer.failed(result === 'revoked' ? tokenRevoked() : mailboxNotFound(mailbox.name));
      } else if (result && result.length > 0) {
        const numbers = new Map(messages.map(({ id, number }) => [id, number]));
        let last = 0;
        for (const { messageId } of result) {
          claimed.push(messageId);
          last = Math.max(last, numbers.get(messageId) ?? 0);
        }
        remove(entry, []);
        claimer.claimed({ claims: result, last });
      } else if (claimer.isGone()) remove(entry, messages);
      else goBack(entry, messages, 'after');
    }
    if (claimed.length > 0) void context.events.hub.publishClaims('claimed', mailbox, claimed);
  };

  const claim = async (assigned: Assigned, entries: Entry[]) => {
    try {
      // oxlint-disable-next-line mayfly/transaction-of-caller -- checks the token of each caller
      return await context.store.transaction((tx) => claimAssigned(tx, mailbox, assigned, context));
    } catch (error) {
      for (const entry of entries) goBack(entry, assigned.get(entry.claimer) ?? [], 'before');
      throw error;
    } finally {
      for (const { id } of [...assigned.values()].flat()) taken.delete(id);
    }
  };

  /** To before or after the first of the messages that it did not get. */
  const goBack = ({ reading }: Entry, [first]: NumberedMessage[], side: 'before' | 'after') => {
    const place = reading.place();
    const to = first && { number: first.number, id: side === 'before' ? '' : first.id };
    if (to && place && comparePlaces(to, place) < 0) reading.moveTo(to);
  };

  /** Its messages are for the others. */
  const remove = (entry: Entry, messages: NumberedMessage[]) => {
    queue.delete(entry);
    entry.reading.leave();
    const free = [...messages, ...entry.assigned].map(({ id }) => id);
    entry.assigned = [];
    for (const id of free) taken.delete(id);
    if (free.length > 0) feed.changed(free);
  };

  const feed = openFeed(context, services, source, settle);

  return {
    enter(claimer) {
      const offer = (row: NumberedMessage, _document: unknown, failed: readonly unknown[]) => {
        if (failed.length > 0 || taken.has(row.id) || !queue.has(entry)) return;
        if (entry.assigned.length >= claimer.limit) return;
        entry.assigned.push(row);
        taken.add(row.id);
      };
      const entry: Entry = {
        claimer,
        lane: laneOf(claimer.criteria),
        assigned: [],
        reading: feed.enter({
          predicate: claimer.criteria,
          startKey: '',
          start: startOf,
          wants: () => queue.has(entry) && isOpen(entry),
          includes: (row) => includes(claimer, row),
          consider: offer,
          changed: offer,
          changeable: () => null,
        }),
      };
      queue.add(entry);
      const { reading } = entry;
      return {
        async catchUp() {
          await reading.catchUp();
          await settle(entry.lane); // a request that is late has read no further
          return reading.place()?.number ?? 0;
        },
        async checkReleased() {
          const place = reading.place();
          const released = place && (await readReleased(place.number));
          if (released) reading.first(released);
          else reading.moveTo(null);
        },
        async leave() {
          remove(entry, []);
          await settling.catch(() => undefined);
        },
      };
    },
    stored: feed.stored,
    released(messageId) {
      feed.changed([messageId]);
    },
    missed: feed.missed,
  };
}
