import { type AttachmentRow, attachmentsOf } from '../db/attachments.js';
import {
  type MessageAndMail,
  type PagedMessage,
  type Position,
  countMessages,
  messageById,
  messagePage,
  messageSummariesById,
  messagesById,
} from '../db/messages.js';
import type { MailboxRow } from '../db/mailboxes.js';
import type { Context } from './context.js';
import { encodeCursor } from './cursor.js';
import { requireMessage } from './message-lookup.js';

/** A message whole: its place in a mailbox, the mail it shows, and that mail's attachments. */
export interface Message extends MessageAndMail {
  attachments: AttachmentRow[];
}

export interface MessagePage {
  /** Newest first; {@link completeMessages} tells what they are. */
  rows: PagedMessage[];
  nextCursor: string | null;
  /** Messages the mailbox shows now, on whatever page. */
  total: number;
}

export interface PageRequest {
  limit: number;
  /** Only messages received after this time. */
  since?: Date;
  /** Only messages that arrived before this place. */
  after?: Position;
  /** Without their text and HTML, and then no page ends early. */
  summary?: boolean;
}

/** A page ends early rather than carry more than this in bodies. */
const PAGE_MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Later than any message: where the first page begins. */
const NEWEST: Position = { receivedAt: new Date('9999-12-31T23:59:59.999Z'), id: '~' };

/** One page of a mailbox, newest first. */
export async function listMessages(
  context: Context,
  mailbox: MailboxRow,
  request: PageRequest,
): Promise<MessagePage> {
  const now = new Date(context.now());
  const { receivedAt, id } = request.after ?? NEWEST;
  const since = request.since ?? new Date(-1);
  const [rows, counted] = await Promise.all([
    context.store.read(messagePage, {
      mailboxId: mailbox.id,
      now,
      since,
      receivedAt,
      id,
      limit: request.limit + 1,
    }),
    context.store.read(countMessages, { mailboxId: mailbox.id, now }),
  ]);
  const found = rows.slice(0, request.limit);
  const page = request.summary ? found : withinBodyLimit(found);
  const last = page.at(-1);
  return {
    rows: page,
    nextCursor: last && page.length < rows.length ? encodeCursor(last) : null,
    total: counted[0]?.total ?? 0,
  };
}

/** Messages of a page, whole, or of a summary without the bodies; one deleted in between is left out. */
export async function completeMessages(
  context: Context,
  rows: PagedMessage[],
  { summary = false }: Pick<PageRequest, 'summary'> = {},
): Promise<Message[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const found = new Map(
    (await foundById(context, ids, summary)).map((each) => [each.message.id, each]),
  );
  const shown = ids.flatMap((id) => found.get(id) ?? []);
  const attachments = await attachmentsIn(
    context,
    shown.map(({ mail }) => mail),
  );
  return shown.map((each) => ({
    ...each,
    attachments: attachments.filter(({ mailId }) => mailId === each.mail.id),
  }));
}

/** @throws {AppError} `not_found` when the mailbox shows no such message. */
export async function findMessage(
  context: Context,
  mailbox: MailboxRow,
  id: string,
): Promise<Message> {
  return withAttachments(context, await requireMessage(context, mailbox, id));
}

/** The message that bears this id, unless the mailbox shows none. */
export async function loadMessage(
  context: Context,
  mailboxId: string,
  id: string,
): Promise<Message | null> {
  const now = new Date(context.now());
  const [found] = await context.store.read(messageById, { mailboxId, id, now });
  return found ? withAttachments(context, found) : null;
}

/** Whom a message shows as its recipients: its mail's To header, else the one it was delivered to. */
export function shownRecipients({ message, mail }: MessageAndMail): string[] {
  return mail.to.length > 0 ? mail.to : [message.recipient];
}

async function withAttachments(context: Context, found: MessageAndMail): Promise<Message> {
  return { ...found, attachments: await attachmentsIn(context, [found.mail]) };
}

async function attachmentsIn(
  { store }: Context,
  mails: MessageAndMail['mail'][],
): Promise<AttachmentRow[]> {
  const carrying = mails.filter(({ attachmentCount }) => attachmentCount > 0).map(({ id }) => id);
  return carrying.length > 0 ? store.ask(attachmentsOf, [...new Set(carrying)]) : [];
}

function withinBodyLimit(rows: PagedMessage[]): PagedMessage[] {
  let bytes = 0;
  const tooMany = rows.findIndex((row, index) => {
    bytes += row.bodyBytes;
    return index > 0 && bytes > PAGE_MAX_BODY_BYTES;
  });
  return tooMany < 0 ? rows : rows.slice(0, tooMany);
}

async function foundById({ store }: Context, ids: string[], summary: boolean) {
  if (!summary) return messagesById(store, ids);
  const summaries = await messageSummariesById(store, ids);
  return summaries.map((each) => ({ ...each, mail: { ...each.mail, text: null, html: null } }));
}
