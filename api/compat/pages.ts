/**
 * Pages by offset, as other tools have them. Mayfly's own pages have cursors: an offset reads all
 * messages before it, so it is limited.
 */
import type { Response } from 'express';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import type { MailboxRow } from '../../core/mailboxes/mailboxes.ts';
import { decodeCursor } from '../../core/messages/cursor.ts';
import { type PagedMessage, listMessages } from '../../core/messages/messages.ts';
import { parseQuery } from '../../core/search/parse-query.ts';
import type { SearchQueue } from '../../core/search/search-queue.ts';
import { searchMailbox } from '../../core/search/search.ts';
import { disconnectSignal } from '../http/request.ts';

export interface Offset {
  start: number;
  limit: number;
}

interface Found {
  rows: PagedMessage[];
  /** Messages of the mailbox. */
  total: number;
}

/** What a search of a mailbox needs of the process and of the request. */
interface Asked {
  context: Context;
  searches: SearchQueue;
  res: Response;
  mailbox: MailboxRow;
}

const ROWS_AT_ONCE = 500;
const MAX_START = 10_000;
/** Results of a query that are counted. */
const MAX_FOUND = 1000;

/**
 * The offset of a query string. A limit above the largest is the largest.
 * @throws {AppError} `invalid_request` if a number is malformed or the start too large.
 */
export function readOffset(query: Response['req']['query'], largest: number): Offset {
  const start = readNumber(query, 'start') ?? 0;
  if (start > MAX_START) {
    throw new AppError('invalid_request', `"start" must be at most ${MAX_START}.`);
  }
  return { start, limit: Math.min(readNumber(query, 'limit') ?? largest, largest) };
}

/** @throws {AppError} `invalid_request` if there is more than one. */
export function readText(query: Response['req']['query'], name: string): string {
  const value = query[name] ?? '';
  if (typeof value === 'string') return value;
  throw new AppError('invalid_request', `"${name}" must be given once.`);
}

/** The messages of a mailbox at an offset, newest first. */
export async function messagesAt(
  context: Context,
  mailbox: MailboxRow,
  { start, limit }: Offset,
): Promise<Found> {
  const end = start + limit;
  const rows: PagedMessage[] = [];
  for (let cursor: string | null = null; ;) {
    const after = cursor === null ? {} : { after: decodeCursor(cursor) };
    const asked = { limit: Math.min(ROWS_AT_ONCE, end - rows.length), summary: true, ...after };
    const page = await listMessages(context, mailbox, asked);
    for (const row of page.rows) rows.push(row);
    cursor = page.nextCursor;
    if (cursor === null || rows.length >= end) {
      return { rows: rows.slice(start, end), total: page.total };
    }
  }
}

/**
 * The first {@link MAX_FOUND} messages that match, newest first; with an empty query, of all.
 * @throws {AppError} `invalid_request` for a query that is not valid.
 */
export async function search(
  { context, searches, res, mailbox }: Asked,
  text: string,
): Promise<Found> {
  const { caller } = res.locals;
  const { workspace } = caller;
  const query = parseQuery(text, { now: context.now(), domain: workspace.domain });
  if (query.length === 0) {
    return messagesAt(context, mailbox, { start: 0, limit: MAX_FOUND });
  }
  const gone = disconnectSignal(res.req, res);
  const asked = { query, limit: MAX_FOUND, summary: true, gone };
  return searches(workspace.id, () => searchMailbox(context, caller, mailbox, asked));
}

function readNumber(query: Response['req']['query'], name: string): number | null {
  const value = readText(query, name);
  if (value === '') return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new AppError('invalid_request', `"${name}" must be a whole number.`);
}
