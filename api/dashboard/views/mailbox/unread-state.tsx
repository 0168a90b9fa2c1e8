import type { Mailbox } from '../../rest/shapes.js';
import { unreadCount } from '../../state/unread.js';

/** The number of unread messages of the mailboxes. */
export function UnreadState({ of }: { of: readonly Mailbox[] }) {
  const unread = of.reduce((sum, mailbox) => sum + unreadCount(mailbox), 0);
  return <span class="list-state">{unread > 0 ? `${unread} unread` : 'No unread messages'}</span>;
}
