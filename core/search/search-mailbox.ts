/** Searches the messages of one mailbox, newest first. */
import type { MailboxRow } from '../../db/statements/mailboxes.js';
import type { Caller } from '../auth/caller.js';
import { type MessagePage, type PageRequest, cut, summaryOf } from '../messages/messages.js';
import type { Searching } from './load-documents.js';
import type { Query } from './query.js';
import { ROWS_AT_ONCE, type SearchRequest, boundsOf, find } from './search.js';
import { walkMailbox } from './walk-mailbox.js';

export interface MailboxSearchPage extends MessagePage {
  complete: boolean;
}

/** A page of the list of a mailbox with a query. A page with bodies can be cut short. */
export async function searchMailbox(
  context: Searching,
  caller: Caller,
  mailbox: MailboxRow,
  request: PageRequest & SearchRequest,
): Promise<MailboxSearchPage> {
  const { claimed, since, to, after, query, limit } = request;
  const { before, from } = boundsOf(query, after);
  const summary = await summaryOf(context, mailbox, to);
  const stretches = walkMailbox(context, mailbox, {
    before,
    since: since ?? new Date(from.getTime() - 1),
    rowsAtOnce: ROWS_AT_ONCE,
    ...(to && { to }),
  });
  const asked: Query =
    claimed === undefined
      ? query
      : [...query, { condition: { kind: 'claimed' }, isExcluded: !claimed }];
  const found = await find(context, caller, stretches, { ...request, query: asked });
  const page = cut({ limit, ...(request.summary && { summary: true }) }, found.rows);
  return {
    ...summary,
    rows: page.rows,
    nextCursor: page.nextCursor ?? found.nextCursor,
    complete: found.complete,
  };
}
