/** Searches the messages of all mailboxes of a caller, newest first. */
import type { Position } from '../../db/statements/messages.ts';
import { type SearchedMailboxes, visibleAmong } from '../../db/statements/search.ts';
import type { Caller } from '../auth/caller.ts';
import { reachOf } from '../auth/reach.ts';
import { type SearchResult, collect } from './collect.ts';
import { workspaceWord } from './index-words.ts';
import type { Searching } from './load-documents.ts';
import { BEFORE_ALL, EARLIEST, type Stretch, earlier, startOf } from './positions.ts';
import type { Query } from './query.ts';
import { walkMailboxes } from './walk-mailboxes.ts';
import { walk } from './walk.ts';

export type { SearchResult };

export interface SearchRequest {
  query: Query;
  limit: number;
  /** Only messages older than this position. */
  after?: Position;
  /** In milliseconds, after which the search returns what it has found. */
  maxDurationMs?: number;
  /** Aborted when nobody waits for the result. */
  gone?: AbortSignal;
}

const MAX_DURATION_MS = 2000;

/** An empty query finds all messages. */
export async function searchMessages(
  context: Searching,
  caller: Caller,
  request: SearchRequest,
): Promise<SearchResult> {
  const { query, limit, after } = request;
  const searched = mailboxesOf(query, reachOf(context, caller));
  const { before, from } = boundsOf(query, after);
  const scan = (start: Position, rowsAtOnce: number) =>
    walkMailboxes(context, searched, { before: start, from }, rowsAtOnce);
  const stretches =
    query.length === 0
      ? scan(before, limit + 1)
      : walk(context, {
          query,
          searched,
          scope: workspaceWord(caller.workspace.id),
          isScopeExact: isWhole(searched),
          before,
          from,
          scan,
        });
  return collectVisible(context, caller, stretches, request);
}

/** The result without messages that were deleted, or have expired, since they were found. */
export async function collectVisible(
  context: Searching,
  caller: Caller,
  stretches: AsyncIterable<Stretch>,
  { query, limit, maxDurationMs = MAX_DURATION_MS, gone }: SearchRequest,
): Promise<SearchResult> {
  const began = performance.now();
  const isOver = () => gone?.aborted === true || performance.now() - began > maxDurationMs;
  const result = await collect(context, stretches, { query, limit, isOver });
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

/** Whether all mailboxes of the workspace are searched. */
function isWhole({ reach, labels, names }: SearchedMailboxes): boolean {
  return reach.scope === null && labels.length === 0 && names.length === 0;
}

/** The mailboxes in which all messages of the query are. */
function mailboxesOf(query: Query, reach: SearchedMailboxes['reach']): SearchedMailboxes {
  const required = query.flatMap(({ condition, isExcluded }) => (isExcluded ? [] : [condition]));
  return {
    reach,
    labels: required.flatMap((each) => (each.kind === 'label' ? [each.label] : [])),
    names: required.flatMap((each) => (each.kind === 'mailbox' ? [each.value.toLowerCase()] : [])),
  };
}
