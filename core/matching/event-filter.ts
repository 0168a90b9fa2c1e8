/** Selects the live events of messages that match criteria, and begins after a message. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Caller } from '../auth/caller.ts';
import type { Context } from '../context.ts';
import type { LiveEvent } from '../events/event.ts';
import { findMailbox } from '../mailboxes/mailboxes.ts';
import { lastNumberIn } from '../messages/mark.ts';
import { type Contents, matchesAll } from './contents.ts';
import type { Criterion } from './criteria.ts';
import { messagesOfMailbox } from './message-source.ts';

/** Messages are looked at for so long before the events found are yielded, as for a wait. */
const PIECE_MS = 1000;
/** Events that are yielded together at most: the fields of as many are read by one statement. */
const PIECE_EVENTS = 100;

export interface EventFilter {
  /**
   * Events of the messages after the start, oldest first; to be called after the subscription. They
   * are yielded at least once a second while messages are read, and none is left out. The rows of
   * one statement are held at a time, and none is read once the client is gone.
   * @throws {DatabaseUnavailable}
   */
  earlier: () => AsyncIterable<LiveEvent[]>;
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
  contents: Contents,
  caller: Caller,
  { criteria, start }: { criteria: Criterion[]; start?: Start },
): EventFilter | null {
  if (criteria.length === 0 && !start) return null;
  let sentUpTo = 0;

  return {
    async *earlier() {
      if (!start) return;
      const { mailbox, after, isGone: isOver } = start;
      const source = messagesOfMailbox(context, mailbox);
      const last = await lastNumberIn(context, source);
      sentUpTo = after;
      let found: LiveEvent[] = [];
      let end = performance.now() + PIECE_MS;
      for await (const { rows } of source.pages({ after }, last)) {
        for await (const { row, tested } of contents.test(rows, criteria, { isOver })) {
          if (isOver()) return;
          sentUpTo = row.number;
          if (tested?.failed.length === 0) {
            const of = { mailbox: mailbox.name, mailboxId: mailbox.id, messageId: row.id };
            found.push({ type: 'message.received', ...of });
          }
          if (found.length < PIECE_EVENTS && performance.now() < end) continue;
          yield found;
          found = [];
          end = performance.now() + PIECE_MS;
        }
        if (isOver()) return;
      }
      if (found.length > 0) yield found;
      sentUpTo = last;
    },
    async matches({ type, messageId, number = Infinity, ...event }) {
      if (type !== 'message.received' || messageId === undefined) return criteria.length === 0;
      if (number <= sentUpTo) return false;
      if (criteria.length === 0) return true;
      const mailbox = start?.mailbox ?? (await findMailbox(context, caller, event.mailbox));
      return mailbox !== undefined && matchesAll(contents, messageId, criteria);
    },
  };
}
