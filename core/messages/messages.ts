import { type AttachmentRow, attachmentsOf } from '../../db/statements/attachments.ts';
import type { CaughtPageParameters } from '../../db/statements/caught-recipients.ts';
import {
  type MessageAndMail,
  type PagedMessage,
  type MessagePosition,
  type MessageSummary,
  countMessages,
  isMessageShown,
  messageById,
  messagePage,
  messageSummariesById,
  messagesById,
} from '../../db/statements/messages.ts';
import type { MailDetails } from '../../db/schema/mail-facts.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { mailDetails } from '../../db/statements/mails.ts';
import type { Context } from '../context.ts';
import type { Admit } from '../limits/byte-budget.ts';
import { NEWEST, encodeCursor } from './cursor.ts';
import { type RecipientFilter, countMessagesTo, messagesTo } from './recipient-filter.ts';
import { currentMark } from './mark.ts';
import { requireMessage } from './resolve-id.ts';
import { previewOf } from '../text/preview.ts';

type Reading = Pick<Context, 'now' | 'store'>;

/** A complete message: its row in a mailbox, its mail, and the attachments of the mail. */
export interface Message extends MessageAndMail {
  attachments: AttachmentRow[];
  /** Null for mail that an earlier version stored; undefined in a summary. */
  details: MailDetails | null | undefined;
}

export type { MessageSummary, PagedMessage };

export interface MessagePage {
  /** Newest first; {@link completeMessages} adds their content. */
  rows: PagedMessage[];
  nextCursor: string | null;
  /** Number of messages in the mailbox, or of those with the recipient, on all pages. */
  total: number;
  /** Covers all messages of the mailbox that were visible before the page was read. */
  mark: string;
}

export interface PageRequest {
  limit: number;
  /** Only messages received after this time. */
  since?: Date;
  /** Only messages older than this position. */
  after?: MessagePosition;
  /** Only messages with this envelope recipient. */
  to?: RecipientFilter;
  /** Without text and HTML. Such a page is never cut short. */
  summary?: boolean;
}

/** Limit of the bodies on a page, after which the page ends early. */
const PAGE_MAX_BODY_BYTES = 8 * 1024 * 1024;

/** One page of a mailbox, newest first. */
export async function listMessages(
  context: Reading,
  mailbox: MailboxRow,
  request: PageRequest,
): Promise<MessagePage> {
  const now = new Date(context.now());
  const { receivedAt, id } = request.after ?? NEWEST;
  const since = request.since ?? new Date(-1);
  const place = {
    mailboxId: mailbox.id,
    now,
    since,
    receivedAt,
    id,
    limit: request.limit + 1,
  };
  // Before the rows: a message that becomes visible meanwhile is repeated after the mark.
  const mark = await currentMark(context, mailbox);
  const rows = await positions(context, request, place);
  const isAll = isFirstPage(request) && rows.length < place.limit;
  const total = isAll ? rows.length : await countOf(context, place, request.to);
  return { ...toPage(request, rows), total, mark };
}

/** As {@link listMessages}, without what a page tells of the mailbox. */
export async function pageOf(
  context: Reading,
  mailbox: MailboxRow,
  { limit, after = NEWEST, to }: Pick<PageRequest, 'limit' | 'after' | 'to'>,
): Promise<PagedMessage[]> {
  const { receivedAt, id } = after;
  const now = new Date(context.now());
  const place = { mailboxId: mailbox.id, now, since: new Date(-1), receivedAt, id, limit };
  return positions(context, to ? { to } : {}, place);
}

/**
 * The number of messages and the mark of a mailbox. Read before its pages: a message that becomes
 * visible meanwhile is repeated after the mark, not skipped.
 */
export async function summaryOf(
  context: Reading,
  mailbox: MailboxRow,
  to?: RecipientFilter,
): Promise<Pick<MessagePage, 'total' | 'mark'>> {
  const place = { mailboxId: mailbox.id, now: new Date(context.now()) };
  const mark = await currentMark(context, mailbox);
  return { total: await countOf(context, place, to), mark };
}

const isFirstPage = ({ after, since }: PageRequest) => !after && !since;

function countOf(
  context: Reading,
  place: Pick<CaughtPageParameters, 'mailboxId' | 'now'>,
  to: RecipientFilter | undefined,
): Promise<number> {
  return to ? countMessagesTo(context, to, place) : countAll(context, place);
}

/** @param rows one more than the limit if there are as many. */
export function toPage(
  request: Pick<PageRequest, 'limit' | 'summary'>,
  rows: PagedMessage[],
): Pick<MessagePage, 'rows' | 'nextCursor'> {
  const found = rows.slice(0, request.limit);
  const page = request.summary ? found : withinBodyLimit(found);
  const last = page.at(-1);
  return {
    rows: page,
    nextCursor: last && page.length < rows.length ? encodeCursor(last) : null,
  };
}

function positions(
  context: Reading,
  { to }: Pick<PageRequest, 'to'>,
  place: CaughtPageParameters,
): Promise<PagedMessage[]> {
  return to ? messagesTo(context, to, place) : context.store.execute(messagePage, place);
}

interface Parts {
  /** Without text and HTML. */
  summary?: boolean;
  /** By default all but summaries have them. */
  details?: boolean;
}

/**
 * The complete messages of a page, without bodies in a summary. Messages deleted meanwhile are left
 * out.
 */
export async function completeMessages(
  context: Pick<Context, 'store'>,
  rows: PagedMessage[],
  { summary = false, details: hasDetails = !summary }: Parts = {},
): Promise<Message[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const found = new Map(
    (await foundById(context, ids, summary)).map((each) => [each.message.id, each]),
  );
  const shown = ids.flatMap((id) => found.get(id) ?? []);
  const mails = shown.map(({ mail }) => mail);
  const attachments = await attachmentsIn(context, mails);
  const details = hasDetails ? await detailsIn(context, mails) : new Map<string, undefined>();
  return shown.map((each) => ({
    ...each,
    attachments: attachments.filter(({ mailId }) => mailId === each.mail.id),
    details: details.get(each.mail.id),
  }));
}

/**
 * @param admit is told the bytes of the bodies before they are read
 * @throws {AppError} `not_found` if the message does not exist in the mailbox; that of `admit`.
 */
export async function requireMessageWithFiles(
  context: Reading,
  mailbox: MailboxRow,
  id: string,
  admit?: Admit,
): Promise<Message> {
  return withAttachments(context, await requireMessage(context, mailbox, id, admit));
}

/** The message with this id, or null. */
export async function findMessageWithFiles(
  context: Reading,
  mailboxId: string,
  id: string,
): Promise<Message | null> {
  const now = new Date(context.now());
  const [found] = await context.store.execute(messageById, { mailboxId, id, now });
  return found ? withAttachments(context, found) : null;
}

async function withAttachments(
  context: Pick<Context, 'store'>,
  found: MessageAndMail,
): Promise<Message> {
  const [attachments, details] = await Promise.all([
    attachmentsIn(context, [found.mail]),
    detailsIn(context, [found.mail]),
  ]);
  return { ...found, attachments, details: details.get(found.mail.id) };
}

async function detailsIn(
  { store }: Pick<Context, 'store'>,
  mails: MessageAndMail['mail'][],
): Promise<Map<string, MailDetails | null>> {
  const rows = await store.query(mailDetails, [...new Set(mails.map(({ id }) => id))]);
  return new Map(rows.map(({ id, details }) => [id, details]));
}

async function attachmentsIn(
  { store }: Pick<Context, 'store'>,
  mails: MessageAndMail['mail'][],
): Promise<AttachmentRow[]> {
  const carrying = mails.filter(({ attachmentCount }) => attachmentCount > 0).map(({ id }) => id);
  return carrying.length > 0 ? store.query(attachmentsOf, [...new Set(carrying)]) : [];
}

async function countAll(
  { store }: Pick<Context, 'store'>,
  { mailboxId, now }: { mailboxId: string; now: Date },
): Promise<number> {
  const [counted] = await store.execute(countMessages, { mailboxId, now });
  return counted?.total ?? 0;
}

function withinBodyLimit(rows: PagedMessage[]): PagedMessage[] {
  let bytes = 0;
  const tooMany = rows.findIndex((row, index) => {
    bytes += row.bodyBytes;
    return index > 0 && bytes > PAGE_MAX_BODY_BYTES;
  });
  return tooMany < 0 ? rows : rows.slice(0, tooMany);
}

async function foundById(
  context: Pick<Context, 'store'>,
  ids: string[],
  summary: boolean,
): Promise<MessageAndMail[]> {
  return summary ? summariesById(context, ids) : messagesById(context.store, ids);
}

/** The messages with these ids without bodies, unordered. */
export async function summariesById(
  { store }: Pick<Context, 'store'>,
  ids: string[],
): Promise<MessageAndMail[]> {
  const summaries: MessageAndMail[] = [];
  for (const { message, mail } of await messageSummariesById(store, ids)) {
    const preview = message.preview ?? (await previewOfOlder(store, message.id));
    summaries.push({ message: { ...message, preview }, mail: { ...mail, text: null, html: null } });
  }
  return summaries;
}

/** For a message that an earlier version stored: its bodies are read. */
async function previewOfOlder(store: Context['store'], id: string): Promise<string> {
  const [found] = await messagesById(store, [id]);
  return found ? shownPreview(found) : '';
}

/** Whether the message still exists in the mailbox. */
export async function isShownInMailbox(
  context: Reading,
  mailbox: MailboxRow,
  id: string,
): Promise<boolean> {
  const place = { mailboxId: mailbox.id, id, now: new Date(context.now()) };
  return (await context.store.execute(isMessageShown, place)).length > 0;
}

/** The preview of a message. That of mail which an earlier version stored is made when read. */
export function shownPreview({
  message,
  mail,
}: {
  message: Pick<MessageAndMail['message'], 'preview'>;
  mail: Pick<MessageAndMail['mail'], 'text' | 'html'>;
}): string {
  return message.preview ?? previewOf(mail);
}
