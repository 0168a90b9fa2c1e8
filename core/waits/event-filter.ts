/** Selects the live events of messages that match criteria, and begins after a message. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Caller } from '../auth/caller.ts';
import type { Context } from '../context.ts';
import type { LiveEvent } from '../events/event.ts';
import { findMailbox } from '../mailboxes/mailboxes.ts';
import type { Criterion } from '../matching/criteria.ts';
import type { Documents } from '../matching/documents.ts';
import type { FoundMessage } from '../matching/message-source.ts';
import { matchesAll } from '../matching/predicate.ts';
import { startAfter } from '../matching/reader.ts';
import { markOf } from '../messages/mark.ts';
import type { Feeds } from './feeds.ts';

/**
 * Messages that are found before those are sent: the fields of as many are read by one statement.
 */
const MOST_HELD = 100;

/** What is reserved for the bodies of a message whose size is not known. */
const UNKNOWN_BYTES = 1024 * 1024;

/** An event, and the mark that ends with its message. */
export interface MarkedEvent {
  event: LiveEvent;
  mark: string;
}

export interface EventFilter {
  /**
   * Events of the messages after the start, oldest first; to be called after the subscription. As
   * many are read as are taken, and none once the client is gone. None is left out.
   * @throws {DatabaseUnavailable}
   */
  earlier: () => AsyncIterable<MarkedEvent[]>;
  /**
   * Whether the event is sent. One that {@link earlier} returned is not sent again.
   * @throws {DatabaseUnavailable}
   */
  matches: (event: LiveEvent) => Promise<boolean>;
}

/** Where a stream begins. */
interface Start {
  mailbox: MailboxRow;
  /** The number of the last message that is not sent. */
  after: number;
  isGone: () => boolean;
}

/** Null if there is nothing to select. */
export function eventFilter(
  context: Pick<Context, 'store' | 'now'>,
  { documents, feeds }: { documents: Documents; feeds: Feeds },
  caller: Caller,
  { criteria, start }: { criteria: Criterion[]; start?: Start },
): EventFilter | null {
  if (criteria.length === 0 && !start) return null;
  let sentUpTo = 0;

  return {
    async *earlier() {
      if (!start) return;
      const { mailbox, isGone, after } = start;
      const { feed, leave } = feeds.open(caller, mailbox, after);
      let found: FoundMessage[] = [];
      const reading = feed.enter({
        predicate: criteria,
        ...startAfter(after),
        wants: () => found.length < MOST_HELD && !isGone(),
        includes: () => true,
        consider(row, _document, failed) {
          if (failed.length === 0) found.push(row);
        },
      });
      try {
        for (let isUp = false; !isGone() && !(isUp && found.length === 0);) {
          await reading.catchUp();
          // What is considered after this is taken by the next turn, or told by a live event.
          const held = found;
          found = [];
          isUp = reading.isServed();
          sentUpTo = reading.place()?.number ?? after;
          yield held.map(({ id: messageId, number }) => ({
            event: {
              type: 'message.received',
              ...{ mailbox: mailbox.name, mailboxId: mailbox.id, messageId },
            },
            mark: markOf(mailbox, number),
          }));
        }
      } finally {
        reading.leave();
        leave();
      }
    },
    async matches({ type, messageId, number = Infinity, ...event }) {
      if (type !== 'message.received' || messageId === undefined) return criteria.length === 0;
      if (number <= sentUpTo) return false;
      if (criteria.length === 0) return true;
      const mailbox = start?.mailbox ?? (await findMailbox(context, caller, event.mailbox));
      return mailbox !== undefined && isMatch(documents, messageId, criteria);
    },
  };
}

/** Whether a message matches; false if it was deleted. */
async function isMatch(documents: Documents, id: string, criteria: Criterion[]): Promise<boolean> {
  for await (const [one] of documents.load([{ id, bodyBytes: UNKNOWN_BYTES }], criteria)) {
    return !!one?.document && matchesAll(criteria, one.document, one);
  }
  return false;
}
