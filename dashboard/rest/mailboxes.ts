import { mailboxPath, messagesPath } from './paths.ts';
import { request } from './request.ts';
import type { Mailbox, MessagePage } from './shapes.ts';

export function listMailboxes(): Promise<Mailbox[]> {
  return request('GET', '/api/mailboxes');
}

/** Creates a mailbox. Without `name`, the server generates one. */
export function createMailbox(name?: string): Promise<Mailbox> {
  return request('POST', '/api/mailboxes', { body: name === undefined ? {} : { name } });
}

export function deleteMailbox(name: string): Promise<void> {
  return request('DELETE', mailboxPath(name));
}

/** The newest message of a mailbox, the number of messages, and a mark that covers them. */
export function readNewest(name: string): Promise<MessagePage> {
  return request('GET', `${messagesPath(name)}?view=summary&limit=1`);
}

/** Deletes the messages that the mark covers. */
export function clearMailbox(name: string, mark: string, keepalive: boolean): Promise<unknown> {
  const query = new URLSearchParams({ before: mark });
  return request('DELETE', `${messagesPath(name)}?${query.toString()}`, { keepalive });
}
