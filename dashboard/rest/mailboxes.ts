import { mailboxPath, messagesPath } from './paths.ts';
import { request, respond } from './request.ts';
import type { Mailbox, MessagePage } from './shapes.ts';

const PAGE = 100;

/**
 * The newest mailboxes whose names start with the prefix, read in pages.
 * @param most number of mailboxes after which reading ends
 */
export async function listMailboxes(
  prefix: string,
  most: number,
): Promise<{ mailboxes: Mailbox[]; isWhole: boolean }> {
  const found: Mailbox[] = [];
  let after: string | null = null;
  do {
    const query = new URLSearchParams({ limit: `${PAGE}` });
    if (prefix !== '') query.set('q', prefix);
    if (after !== null) query.set('after', after);
    const response = await respond('GET', `/api/mailboxes?${query.toString()}`);
    for (const mailbox of (await response.json()) as Mailbox[]) found.push(mailbox);
    after = response.headers.get('Next-Cursor');
  } while (after !== null && found.length < most);
  return { mailboxes: found, isWhole: after === null };
}

export function getMailbox(name: string): Promise<Mailbox> {
  return request('GET', mailboxPath(name));
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
