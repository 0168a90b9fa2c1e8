/** Searches the messages of one mailbox, or of all mailboxes of a caller, newest first. */
import type { MessagePosition } from '../../db/statements/messages.ts';
import { type SearchedMailboxes, shownAmong } from '../../db/statements/search.ts';
import type { Caller } from '../auth/caller.ts';
import type { Context } from '../context.ts';
import { reachOf } from '../auth/reach.ts';
import { openCandidateSource, type SearchResult, collectResults } from './candidates.ts';
import { workspaceWord, mailboxWord } from './index-words.ts';
import {
  type CandidateSource,
  startOf,
  fewMailboxes,
  scanMailboxes,
  scanRecipient,
  scanWorkspace,
} from './scan.ts';
import type { ParsedQuery } from './query.ts';
import type { Searches } from './load-documents.ts';
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import { NEWEST, comparePositions } from '../messages/cursor.ts';
import { type MessagePage, type PageRequest, toPage, summaryOf } from '../messages/messages.ts';

export type { SearchResult, Searches };

type Searching = Pick<Context, 'config' | 'store' | 'now' | 'log'>;

interface SearchRequest {
  query: ParsedQuery;
  limit: number;
  /** Only messages older than this position. */
  after?: MessagePosition;
  /** In milliseconds of its own, after which the search returns what it has found. */
  maxDurationMs?: number;
  /** Aborted when nobody waits for the result. */
  gone?: AbortSignal;
}

interface MailboxSearchRequest extends PageRequest, SearchRequest {
  /** Only messages with, or without, a live claim. */
  claimed?: boolean;
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
  searches: Searches,
  caller: Caller,
  request: SearchRequest,
): Promise<SearchResult> {
  const { query, limit, after } = request;
  const searched = mailboxesOf(query, reachOf(context, caller));
  const { before, from } = boundsOf(query, after);
  const mailboxes = await fewMailboxes(context, searched);
  const scan = (rowsAtOnce: number) =>
    mailboxes
      ? scanMailboxes(context, mailboxes, { from, rowsAtOnce })
      : scanWorkspace(context, searched, { from, rowsAtOnce });
  const open = async () =>
    query.length === 0 || mailboxes?.length === 0
      ? scan(limit + 1)
      : openCandidateSource(context, {
          query,
          searched,
          scopes: mailboxes?.map(({ id }) => mailboxWord(id)) ?? [
            workspaceWord(searched.reach.workspaceId),
          ],
          areScopesExact: mailboxes !== null || isWhole(searched),
          from,
          scan,
        });
  return collectVisible(context, searches, caller, open, { ...request, before });
}

/**
 * A page of the list of a mailbox with a query or by claims. A page with bodies can be cut short.
 */
export async function searchMailbox(
  context: Searching,
  searches: Searches,
  caller: Caller,
  mailbox: MailboxRow,
  request: MailboxSearchRequest,
): Promise<MailboxSearchPage> {
  const { claimed, since, to, after, limit } = request;
  const query = withClaim(request.query, claimed);
  const bounds = boundsOf(query, after);
  const from = since && since >= bounds.from ? new Date(since.getTime() + 1) : bounds.from;
  const scan = (rowsAtOnce: number) =>
    to
      ? scanRecipient(context, mailbox, to, { from, rowsAtOnce })
      : scanMailboxes(context, [mailbox], { from, rowsAtOnce });
  const summary = await summaryOf(context, mailbox, to);
  const open = async () =>
    to || summary.total <= MAX_SCANNED
      ? scan(ROWS_AT_ONCE)
      : openCandidateSource(context, {
          query,
          searched: { reach: reachOf(context, caller), labels: [], names: [mailbox.name] },
          scopes: [mailboxWord(mailbox.id)],
          areScopesExact: true,
          from,
          scan,
        });
  const { before } = bounds;
  const asked = { ...request, query, before };
  const found = await collectVisible(context, searches, caller, open, asked);
  const page = toPage({ limit, ...(request.summary && { summary: true }) }, found.rows);
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
  searches: Searches,
  caller: Caller,
  open: () => Promise<CandidateSource>,
  {
    query,
    limit,
    before,
    maxDurationMs = MAX_DURATION_MS,
    gone,
  }: SearchRequest & { before: MessagePosition },
): Promise<SearchResult> {
  const result = await collectResults({ ...searches, log: context.log }, open, {
    ...{ workspaceId: caller.workspace.id, query, limit, before, maxDurationMs },
    ...(gone && { gone }),
  });
  if (query.length === 0 || result.rows.length === 0) return result;
  const ids = result.rows.map(({ id }) => id);
  const visible = await context.store.query(shownAmong, reachOf(context, caller), ids);
  const shown = new Set(visible.map(({ id }) => id));
  return { ...result, rows: result.rows.filter(({ id }) => shown.has(id)) };
}

/** The times within which all messages of the query are. */
function boundsOf(query: ParsedQuery, after: MessagePosition = NEWEST) {
  let before = after;
  let from = new Date(0);
  for (const { condition, isExcluded } of query) {
    if (isExcluded) continue;
    if (condition.kind === 'before' && comparePositions(startOf(condition.time), before) < 0) {
      before = startOf(condition.time);
    }
    if (condition.kind === 'after' && condition.time > from) from = condition.time;
  }
  return { before, from };
}

/** Whether all mailboxes of the workspace are searched. */
function isWhole({ reach, labels, names }: SearchedMailboxes): boolean {
  return reach.scope === null && labels.length === 0 && names.length === 0;
}

/** The mailboxes in which all messages of the query are. */
function mailboxesOf(query: ParsedQuery, reach: SearchedMailboxes['reach']): SearchedMailboxes {
  const required = query.flatMap(({ condition, isExcluded }) => (isExcluded ? [] : [condition]));
  return {
    reach,
    labels: required.flatMap((each) => (each.kind === 'label' ? [each.label] : [])),
    names: required.flatMap((each) => (each.kind === 'mailbox' ? [each.value] : [])),
  };
}

function withClaim(query: ParsedQuery, claimed: boolean | undefined): ParsedQuery {
  if (claimed === undefined) return query;
  return [...query, { condition: { kind: 'claimed' }, isExcluded: !claimed }];
}
