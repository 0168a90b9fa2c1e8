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
import type { ParsedQuery } from '../../core/search/query.ts';
import type { Searches } from '../../core/search/search.ts';
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
  searches: Searches;
  res: Response;
  mailbox: MailboxRow;
}

const ROWS_AT_ONCE = 500;
const MAX_START = 10_000;
/** Results of a query that are counted: as many as pages can show. */
const MAX_FOUND = MAX_START + ROWS_AT_ONCE;
/** Searches of a deletion. */
const MAX_TURNS = 5;
const RETRY_AFTER_S = 5;

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

/** The first messages of a mailbox that match, newest first, as far as a search of 2 s reads. */
export async function search(
  { context, searches, res, mailbox }: Asked,
  query: ParsedQuery,
  limit = MAX_FOUND,
): Promise<Found> {
  const { caller } = res.locals;
  const gone = disconnectSignal(res.req, res);
  const asked = { query, limit, summary: true, gone };
  return searchMailbox(context, searches, caller, mailbox, asked);
}

/**
 * The ids of all messages of a mailbox that match. It is searched in turns of 2 s.
 * @throws {AppError} `unavailable` if 10 s are not enough, or the client has gone.
 */
export async function searchAll(
  { context, searches, res, mailbox }: Asked,
  query: ParsedQuery,
): Promise<string[]> {
  const { caller } = res.locals;
  const gone = disconnectSignal(res.req, res);
  const ids: string[] = [];
  let place = {};
  for (let turn = 0; turn < MAX_TURNS && !gone.aborted; turn += 1) {
    const asked = { query, limit: Infinity, summary: true, gone, ...place };
    const found = await searchMailbox(context, searches, caller, mailbox, asked);
    for (const { id } of found.rows) ids.push(id);
    if (found.nextCursor === null) return ids;
    place = { after: decodeCursor(found.nextCursor) };
  }
  throw new AppError(
    'unavailable',
    'The mailbox could not be searched in time, so nothing was deleted. Narrow the query by "before:" or "after:".',
    { retryAfter: RETRY_AFTER_S },
  );
}

function readNumber(query: Response['req']['query'], name: string): number | null {
  const value = readText(query, name);
  if (value === '') return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new AppError('invalid_request', `"${name}" must be a whole number.`);
}
