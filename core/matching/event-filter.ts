/** Selects the live events of messages that match criteria, and begins at a mark. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Caller } from '../auth/caller.ts';
import type { Context } from '../context.ts';
import type { LiveEvent } from '../events/event.ts';
import { lookUpMailbox } from '../mailboxes/mailboxes.ts';
import type { Mark } from '../messages/mark.ts';
import type { Contents } from './contents.ts';
import { type Criterion, failedCriteria } from './criteria.ts';
import { look } from './find-matches.ts';

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
  matches: (event: LiveEvent) => Promise<boolean>;
}

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
      return matches.map(({ id }) => {
        sent.add(id);
        return {
          type: 'message.received',
          mailbox: mailbox.name,
          mailboxId: mailbox.id,
          messageId: id,
        };
      });
    },
    async matches({ type, messageId, ...event }) {
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
