/** Compares searches with and without the index, on a database, with a plain scan of the corpus. */
import { AppError } from '../../core/errors.ts';
import { createMailboxes } from '../../core/mailboxes/create.ts';
import { requireMailbox } from '../../core/mailboxes/mailboxes.ts';
import { matchesAll } from '../../core/matching/predicate.ts';
import { comparePositions, decodeCursor } from '../../core/messages/cursor.ts';
import { compileQuery } from '../../core/search/matches.ts';
import { parseQuery } from '../../core/search/parse-query.ts';
import type { ParsedQuery } from '../../core/search/query.ts';
import { type SearchResult, searchMessages, searchMailbox } from '../../core/search/search.ts';
import type { TestContext } from '../support/context/context.ts';
import { searchesOf } from '../support/context/searches.ts';

type Opened = Pick<TestContext, 'context' | 'caller'>;
import { type CorpusMail, MAILBOXES } from './corpus.ts';

/** A database with the corpus. */
interface Filled {
  name: string;
  test: Opened;
}

/** Creates the mailboxes. */
export async function prepare({ context, caller }: Opened): Promise<void> {
  await createMailboxes(context, caller, MAILBOXES);
}

export async function store({ context, caller }: Opened, mails: CorpusMail[]): Promise<void> {
  const found = MAILBOXES.map(({ name }) => requireMailbox(context, caller, name));
  const ids = (await Promise.all(found)).map(({ id }) => id);
  const { writer } = context.ingest;
  await Promise.all(
    mails.map(({ rows, messages }) =>
      writer.add({
        ...rows,
        messages: messages.map(({ message, mailbox }) => ({
          ...message,
          mailboxId: ids[mailbox] ?? '',
        })),
      }),
    ),
  );
}

/** The messages of the corpus that fulfill the query, newest first. */
export function scan(mails: CorpusMail[], query: ParsedQuery, mailbox?: string): string[] {
  const predicate = compileQuery(query);
  return mails
    .flatMap(({ messages, visible }) =>
      visible.flatMap((document, n) => {
        const shownIn = MAILBOXES[messages[n]?.mailbox ?? 0];
        return shownIn ? [{ document, live: { isClaimed: false, mailbox: shownIn } }] : [];
      }),
    )
    .filter(({ live }) => mailbox === undefined || live.mailbox.name === mailbox)
    .filter(({ document, live }) => matchesAll(predicate, document, live))
    .map(({ document }) => document.message)
    .sort((a, b) => comparePositions(b, a))
    .map(({ id }) => id);
}

type Found = Pick<SearchResult, 'nextCursor'> & { rows: { id: string }[] };

/** All pages of a search. */
async function allPages(search: (after: string | null) => Promise<Found>): Promise<string[]> {
  const ids: string[] = [];
  let after: string | null = null;
  do {
    const result: Found = await search(after);
    ids.push(...result.rows.map(({ id }) => id));
    after = result.nextCursor;
  } while (after !== null);
  return ids;
}

/** The messages that a search finds with these settings. */
export function find(
  { context, caller }: Opened,
  query: ParsedQuery,
  { withIndex, limit, mailbox }: { withIndex: boolean; limit: number; mailbox?: string },
): Promise<string[]> {
  const searching = { ...context, config: { ...context.config, searchIndex: withIndex } };
  const searches = searchesOf(context);
  return allPages(async (after) => {
    const place = after === null ? {} : { after: decodeCursor(after) };
    const request = { query, limit, maxDurationMs: 60_000, ...place };
    if (mailbox === undefined) return searchMessages(searching, searches, caller, request);
    const row = await requireMailbox(context, caller, mailbox);
    return searchMailbox(searching, searches, caller, row, { ...request, summary: true });
  });
}

interface Comparison {
  /** Queries that are valid, and those of them that find something. */
  compared: number;
  found: number;
  differences: { query: string; how: string; missing: string[]; unexpected: string[] }[];
}

/** Asks each query in each way. */
export async function compare(
  filled: Filled[],
  mails: CorpusMail[],
  queries: string[],
  now: number,
): Promise<Comparison> {
  const result: Comparison = { compared: 0, found: 0, differences: [] };
  for (const [n, text] of queries.entries()) {
    const query = parsed(text, now);
    if (query === null) continue;
    const limit = [100, 7, 1][n % 3] ?? 100;
    const mailbox = n % 4 === 0 ? MAILBOXES[n % MAILBOXES.length]?.name : undefined;
    const place = mailbox === undefined ? {} : { mailbox };
    const expected = scan(mails, query, mailbox);
    result.compared += 1;
    if (expected.length > 0) result.found += 1;
    // Pages of one message cost a search for each message.
    const pageSize = expected.length > 4 * limit ? 100 : limit;
    for (const { name, test } of filled) {
      for (const withIndex of [true, false]) {
        const found = await find(test, query, { withIndex, limit: pageSize, ...place });
        if (found.join() === expected.join()) continue;
        result.differences.push({
          query: text,
          how: `${name}, ${withIndex ? 'index' : 'scan'}`,
          missing: expected.filter((id) => !found.includes(id)),
          unexpected: found.filter((id) => !expected.includes(id)),
        });
      }
    }
  }
  return result;
}

function parsed(text: string, now: number): ParsedQuery | null {
  try {
    return parseQuery(text, { now, domain: 'one.test' });
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') return null;
    throw error;
  }
}
