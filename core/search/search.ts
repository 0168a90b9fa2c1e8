/** Searches the messages of one mailbox, or of all mailboxes of a caller, newest first. */
import type { Position } from '../../db/statements/messages.ts';
import { type SearchedMailboxes, visibleAmong } from '../../db/statements/search.ts';
import type { Caller } from '../auth/caller.ts';
import { reachOf } from '../auth/reach.ts';
import { type SearchResult, collect } from './collect.ts';
import { workspaceWord, mailboxWord } from './index-words.ts';
import type { Searching } from './load-documents.ts';
import { BEFORE_ALL, EARLIEST, type Stretch, earlier, startOf } from './positions.ts';
import type { Query } from './query.ts';
import { walkMailboxes, walkMailbox } from './walk-mailboxes.ts';
import { walk } from './walk.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { type MessagePage, type PageRequest, cut, summaryOf } from '../messages/messages.ts';

export type { SearchResult };

interface SearchRequest {
  query: Query;
  limit: number;
  /** Only messages older than this position. */
  after?: Position;
  /** In milliseconds, after which the search returns what it has found. */
  maxDurationMs?: number;
  /** Aborted when nobody waits for the result. */
  gone?: AbortSignal;
}

interface MailboxSearchPage extends MessagePage {
  complete: boolean;
}

const MAX_DURATION_MS = 2000;
/** Mailboxes with more messages are searched with the index. */
const MAX_SCANNED = 10_000;
const ROWS_AT_ONCE = 500;

/** Searches all mailboxes of the caller. An empty query finds all messages. */
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

/** A page of the list of a mailbox with a query. A page with bodies can be cut short. */
export async function searchMailbox(
  context: Searching,
  caller: Caller,
  mailbox: MailboxRow,
  request: PageRequest & SearchRequest,
): Promise<MailboxSearchPage> {
  const { claimed, since, to, after, limit } = request;
  const query = withClaim(request.query, claimed);
  const bounds = boundsOf(query, after);
  const from = since && since >= bounds.from ? new Date(since.getTime() + 1) : bounds.from;
  const scan = (before: Position, rowsAtOnce: number) =>
    walkMailbox(context, mailbox, { before, from, rowsAtOnce, ...(to && { to }) });
  const summary = await summaryOf(context, mailbox, to);
  const stretches =
    to || summary.total <= MAX_SCANNED
      ? scan(bounds.before, ROWS_AT_ONCE)
      : walk(context, {
          query,
          searched: { reach: reachOf(context, caller), labels: [], names: [mailbox.name] },
          scope: mailboxWord(mailbox.id),
          isScopeExact: true,
          before: bounds.before,
          from,
          scan,
        });
  const found = await collectVisible(context, caller, stretches, { ...request, query });
  const page = cut({ limit, ...(request.summary && { summary: true }) }, found.rows);
  return {
    ...summary,
    rows: page.rows,
    nextCursor: page.nextCursor ?? found.nextCursor,
    complete: found.complete,
  };
}

/** The result without messages that were deleted, or have expired, since they were found. */
async function collectVisible(
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
function boundsOf(query: Query, after: Position = BEFORE_ALL) {
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

function withClaim(query: Query, claimed: boolean | undefined): Query {
  if (claimed === undefined) return query;
  return [...query, { condition: { kind: 'claimed' }, isExcluded: !claimed }];
}
