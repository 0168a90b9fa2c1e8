import { messagesPath } from './paths.ts';
import { request } from './request.ts';
import type { MessagePage } from './shapes.ts';

/** The newest message of a mailbox, the number of messages, and a mark that covers them. */
export function readNewest(name: string): Promise<MessagePage> {
  return request('GET', `${messagesPath(name)}?view=summary&limit=1`);
}

/** Deletes the messages that the mark covers. */
export function clearMailbox(name: string, mark: string, keepalive: boolean): Promise<unknown> {
  const query = new URLSearchParams({ before: mark });
  return request('DELETE', `${messagesPath(name)}?${query.toString()}`, { keepalive });
}
