import type { Mailbox } from '../../rest/shapes.ts';
import { unreadCount } from '../../state/read-marks.ts';

/** The number of unread messages of the mailboxes. */
export function UnreadState({ of }: { of: readonly Mailbox[] }) {
  const unread = of.reduce((sum, mailbox) => sum + unreadCount(mailbox), 0);
  return <span class="list-state">{unread > 0 ? `${unread} unread` : 'No unread messages'}</span>;
}
