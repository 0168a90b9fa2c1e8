/** Messages by their envelope recipients, and the recipients of caught messages. */
import {
  type CaughtPageParameters,
  caughtAddressPage,
  caughtMessagePage,
  countCaughtMessages,
} from '../../db/statements/caught-recipients.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import {
  type PagedMessage,
  addressedMessagePage,
  countAddressedMessages,
} from '../../db/statements/messages.ts';
import type { WorkspaceRow } from '../../db/statements/workspaces.ts';
import { comparableAddress, mailboxAddress, parseAddress } from '../addresses.ts';
import type { Context } from '../context.ts';
import { encodeAddressCursor } from './cursor.ts';

/** Selects messages of a mailbox by an envelope recipient. */
export interface RecipientFilter {
  /** In the form of {@link comparableAddress}. */
  address: string;
  /** The tag of an address of the mailbox itself, empty for none; null for another address. */
  ownTag: string | null;
}

/** @param to an address from a client; text that is not an address matches no message. */
export function recipientFilter(
  { domain }: Pick<WorkspaceRow, 'domain'>,
  { name }: Pick<MailboxRow, 'name'>,
  to: string,
): RecipientFilter {
  const parsed = parseAddress(to);
  const isOwn = parsed?.name === name && parsed.domain === domain;
  return { address: comparableAddress(to), ownTag: isOwn ? (parsed.tag ?? '') : null };
}

/**
 * Messages with this envelope recipient, newest first: caught ones and those addressed to the
 * mailbox.
 */
export async function messagesTo(
  { store }: Pick<Context, 'store'>,
  { address, ownTag }: RecipientFilter,
  place: CaughtPageParameters,
): Promise<PagedMessage[]> {
  const caught = store.execute(caughtMessagePage, { ...place, address });
  if (ownTag === null) return caught;
  const [first, second] = await Promise.all([
    caught,
    store.execute(addressedMessagePage, { ...place, ...tagsOf(ownTag) }),
  ]);
  return [...first, ...second].sort(newestFirst).slice(0, place.limit);
}

/** The number of messages with this envelope recipient, on all pages. */
export async function countMessagesTo(
  { store }: Pick<Context, 'store'>,
  { address, ownTag }: RecipientFilter,
  { mailboxId, now }: Pick<CaughtPageParameters, 'mailboxId' | 'now'>,
): Promise<number> {
  const counted = await Promise.all([
    store.execute(countCaughtMessages, { mailboxId, address, now }),
    ownTag === null
      ? []
      : store.execute(countAddressedMessages, { mailboxId, now, ...tagsOf(ownTag) }),
  ]);
  return counted.flat().reduce((sum, { total }) => sum + total, 0);
}

export interface CaughtRecipient {
  address: string;
  messageCount: number;
  lastAt: Date;
}

/** One page of the caught addresses of a mailbox, in alphabetical order. */
export async function listRecipients(
  context: Pick<Context, 'store' | 'now'>,
  { domain }: Pick<WorkspaceRow, 'domain'>,
  mailbox: Pick<MailboxRow, 'id' | 'name'>,
  { limit, after = '' }: { limit: number; after?: string },
): Promise<{ recipients: CaughtRecipient[]; nextCursor: string | null }> {
  const rows = await context.store.query(caughtAddressPage, {
    mailboxId: mailbox.id,
    ownAddress: mailboxAddress(mailbox.name, domain),
    after,
    now: new Date(context.now()),
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    recipients: page.map(({ lastAt, ...rest }) => ({ ...rest, lastAt: lastAt ?? new Date(0) })),
    nextCursor: last && page.length < rows.length ? encodeAddressCursor(last.address) : null,
  };
}

const tagsOf = (tag: string) => ({ tag, foldedTag: tag.toLowerCase() });

function newestFirst(a: PagedMessage, b: PagedMessage): number {
  return b.receivedAt.getTime() - a.receivedAt.getTime() || (a.id < b.id ? 1 : -1);
}
