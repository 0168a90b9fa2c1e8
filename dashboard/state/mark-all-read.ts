import { listMessages } from '../rest/messages.ts';
import { markRead } from './read-marks.ts';

/**
 * Marks all messages of a mailbox as read, page by page.
 * @param mailbox id of the mailbox
 * @throws {ApiError} after a failed page; the pages before it are marked.
 */
export async function markAllRead(mailbox: string, name: string): Promise<void> {
  let after: string | undefined;
  do {
    const { messages, nextCursor } = await listMessages({ name, to: null, query: '' }, after);
    markRead(mailbox, messages);
    after = nextCursor ?? undefined;
  } while (after !== undefined);
}
