/** Selects the live events of messages that match criteria, and begins after a message. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Caller } from '../auth/caller.ts';
import type { Context } from '../context.ts';
import type { LiveEvent } from '../events/event.ts';
import { findMailbox } from '../mailboxes/mailboxes.ts';
import { type Contents, matchesAll } from './contents.ts';
import type { Criterion } from './criteria.ts';
import { findMatches } from './find-matches.ts';
import { messagesOfMailbox } from './message-source.ts';

/** Messages are looked at for so long before the events found are yielded, as for a wait. */
const PIECE_MS = 1000;

export interface EventFilter {
  /**
   * Events of the messages after the start, oldest first; to be called after the subscription. They
   * are yielded at least once a second while messages are read, and none is left out.
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
      const { mailbox, isGone } = start;
      const source = messagesOfMailbox(context, mailbox);
      let isComplete = false;
      sentUpTo = start.after;
      while (!isComplete && !isGone()) {
        let end = 0; // set when the first messages are read, so that each piece has some
        const isOver = () => {
          end ||= performance.now() + PIECE_MS;
          return isGone() || performance.now() > end;
        };
        const asked = { criteria, after: sentUpTo, count: Infinity, order: 'oldest' } as const;
        const found = await findMatches(context, contents, source, { ...asked, isOver });
        sentUpTo = found.upTo;
        isComplete = found.isComplete;
        yield found.matches.map(({ id }) => ({
          type: 'message.received',
          mailbox: mailbox.name,
          mailboxId: mailbox.id,
          messageId: id,
        }));
      }
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
