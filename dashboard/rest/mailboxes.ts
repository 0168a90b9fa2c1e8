import { mailboxPath } from './paths.ts';
import { request } from './request.ts';
import type { Mailbox } from './shapes.ts';

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
