/** Searches the messages of one mailbox, newest first. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Position } from '../../db/statements/messages.ts';
import type { Caller } from '../auth/caller.ts';
import { reachOf } from '../auth/reach.ts';
import { type MessagePage, type PageRequest, cut, summaryOf } from '../messages/messages.ts';
import { mailboxWord } from './index-words.ts';
import type { Searching } from './load-documents.ts';
import type { Query } from './query.ts';
import { type SearchRequest, boundsOf, collectVisible } from './search.ts';
import { walkMailbox } from './walk-mailbox.ts';
import { walk } from './walk.ts';

export interface MailboxSearchPage extends MessagePage {
  complete: boolean;
}

/** Mailboxes with more messages are searched with the index. */
const MAX_SCANNED = 10_000;
const ROWS_AT_ONCE = 500;

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

function withClaim(query: Query, claimed: boolean | undefined): Query {
  if (claimed === undefined) return query;
  return [...query, { condition: { kind: 'claimed' }, isExcluded: !claimed }];
}
