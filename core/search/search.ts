/** Searches the messages of all mailboxes of a caller, newest first. */
import type { Position } from '../../db/statements/messages.js';
import { type SearchedMailboxes, visibleAmong } from '../../db/statements/search.js';
import type { Caller } from '../auth/caller.js';
import { reachOf } from '../auth/reach.js';
import { type Collecting, type SearchResult, collect } from './collect.js';
import type { Searching } from './load-documents.js';
import type { Query } from './query.js';
import { BEFORE_ALL, EARLIEST, type Stretch, earlier, startOf } from './positions.js';
import { walkMailboxes } from './walk-mailboxes.js';

export type { SearchResult };

export interface SearchRequest {
  query: Query;
  limit: number;
  /** Only messages older than this position. */
  after?: Position;
  /** In milliseconds, after which the search returns what it has found. */
  maxDurationMs?: number;
}

const MAX_DURATION_MS = 2000;
export const ROWS_AT_ONCE = 500;

/** Searches all mailboxes that the caller can use. An empty query finds all messages. */
export async function searchMessages(
  context: Searching,
  caller: Caller,
  request: SearchRequest,
): Promise<SearchResult> {
  const { query, limit, after } = request;
  const searched: SearchedMailboxes = {
    reach: reachOf(context, caller),
    labels: query.flatMap(({ condition, isExcluded }) =>
      condition.kind === 'label' && !isExcluded ? [condition.label] : [],
    ),
    names: query.flatMap(({ condition, isExcluded }) =>
      condition.kind === 'mailbox' && !isExcluded ? [condition.value.toLowerCase()] : [],
    ),
  };
  const rowsAtOnce = query.length === 0 ? limit + 1 : ROWS_AT_ONCE;
  const stretches = walkMailboxes(context, searched, boundsOf(query, after), rowsAtOnce);
  return find(context, caller, stretches, request);
}

/** The result without messages that were deleted, or expired, since they were found. */
export async function find(
  context: Searching,
  caller: Caller,
  stretches: AsyncIterable<Stretch>,
  { query, limit, maxDurationMs = MAX_DURATION_MS }: SearchRequest,
): Promise<SearchResult> {
  const collecting: Collecting = { query, limit, maxDurationMs };
  const result = await collect(context, stretches, collecting);
  if (query.length === 0 || result.rows.length === 0) return result;
  const ids = result.rows.map(({ id }) => id);
  const visible = await context.store.ask(visibleAmong, reachOf(context, caller), ids);
  const shown = new Set(visible.map(({ id }) => id));
  return { ...result, rows: result.rows.filter(({ id }) => shown.has(id)) };
}

/** The times within which all messages of the query are. */
export function boundsOf(query: Query, after: Position = BEFORE_ALL) {
  let before = after;
  let from = EARLIEST;
  for (const { condition, isExcluded } of query) {
    if (isExcluded) continue;
    if (condition.kind === 'before') before = earlier(before, startOf(condition.time));
    if (condition.kind === 'after' && condition.time > from) from = condition.time;
  }
  return { before, from };
}
