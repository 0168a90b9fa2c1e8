/** Selects the live events of messages that fit criteria, and begins at a mark. */
import type { MailboxRow } from '../../db/statements/mailboxes.js';
import type { Caller } from '../auth/caller.js';
import type { Context } from '../context.js';
import type { LiveEvent } from '../events/event.js';
import { lookUpMailbox } from '../mailboxes/mailboxes.js';
import { eventFields } from '../messages/event-fields.js';
import type { Mark } from '../messages/mark.js';
import { type Message, completeMessages } from '../messages/messages.js';
import { shownPreview } from '../messages/preview.js';
import type { Contents } from './contents.js';
import { type Criterion, failedCriteria } from './criteria.js';
import { look } from './look.js';

export interface EventFilter {
  /**
   * Events of the messages after the mark, oldest first; to be called after the subscription.
   * @throws {DatabaseUnavailable}
   */
  earlier: () => Promise<LiveEvent[]>;
  /**
   * Whether the event is sent. One that {@link earlier} returned is not sent again.
   * @throws {DatabaseUnavailable}
   */
  fits: (event: LiveEvent) => Promise<boolean>;
}

/** Messages of which the event fields are read at once. */
const PER_READING = 100;

/** Null if there is nothing to select. */
export function eventFilter(
  context: Pick<Context, 'store' | 'now'>,
  contents: Contents,
  caller: Caller,
  { criteria, start }: { criteria: Criterion[]; start?: { mailbox: MailboxRow; mark: Mark } },
): EventFilter | null {
  if (criteria.length === 0 && !start) return null;
  const sent = new Set<string>();

  return {
    async earlier() {
      if (!start) return [];
      const { mailbox, mark } = start;
      const asked = { criteria, mark, count: Infinity, order: 'oldest' } as const;
      const { matches } = await look(context, contents, mailbox, asked);
      const events: LiveEvent[] = [];
      for (let at = 0; at < matches.length; at += PER_READING) {
        const rows = matches.slice(at, at + PER_READING);
        for (const shown of await completeMessages(context, rows, { summary: true })) {
          sent.add(shown.message.id);
          events.push(receivedEvent(mailbox, shown));
        }
      }
      return events;
    },
    async fits({ type, messageId, ...event }) {
      if (type !== 'message.received' || messageId === undefined) return criteria.length === 0;
      if (sent.delete(messageId)) return false;
      if (criteria.length === 0) return true;
      const mailbox = start?.mailbox ?? (await lookUpMailbox(context, caller, event.mailbox));
      if (!mailbox) return false;
      const found = await contents.of(mailbox, [{ id: messageId, bodyBytes: 0 }], criteria);
      const content = found.get(messageId);
      return content !== undefined && failedCriteria(criteria, content).length === 0;
    },
  };
}

function receivedEvent({ id, name }: MailboxRow, shown: Message): LiveEvent {
  const fields = eventFields(shown.message.id, shown.mail, shownPreview(shown));
  return { type: 'message.received', mailbox: name, mailboxId: id, ...fields };
}
