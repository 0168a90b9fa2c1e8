/**
 * Where mail went while a wait of a mailbox found none. One request of the wait in all mailboxes
 * tests the criteria in the service, among the messages received after a time: the wait of the
 * mailbox has done the same, and a search of the text takes turns with other searches.
 */
import { bodyOf, type Connection } from '../connection/api.ts';
import type { Elsewhere } from '../errors.ts';
import { type Criteria, failedPatterns, queryOf } from './criteria.ts';
import { inTime } from './facts.ts';
import type { MailboxData, Message } from '../types.ts';

/** An application can send its mail before the test waits for it. */
const BEFORE_MS = 60_000;
/** Messages that match and are counted at most: a page. */
const COUNT = 100;

/**
 * What other mailboxes have received since a minute before the wait, but not before the mailbox was
 * created: the messages that match, first those that arrived when the wait began; if none matches,
 * those that fail the fewest criteria. Null if the service does not tell in time.
 * @param began when the wait began, in milliseconds since 1970
 * @internal
 */
export async function elsewhereOf(
  connection: Connection,
  { name, createdAt }: Pick<MailboxData, 'name' | 'createdAt'>,
  criteria: Criteria,
  began: number,
): Promise<Elsewhere | null> {
  // These name the recipient, the mailbox, or another time.
  const { to: _to, tag: _tag, mark: _mark, since: _since, ...asked } = criteria;
  const query = {
    ...queryOf(asked),
    ...{ count: COUNT, order: 'newest' as const, timeout: 0 },
    since: new Date(Math.max(began - BEFORE_MS, Date.parse(createdAt))).toISOString(),
    view: asked.text instanceof RegExp ? ('full' as const) : ('summary' as const),
  };
  const isAny = Object.values(asked).every((value: unknown) => value === undefined);
  const others = <One extends { mailbox?: string }>(all: One[]) =>
    all.filter(({ mailbox }) => mailbox !== name);
  return connection.api
    .GET('/api/messages/wait', { params: { query }, fetch: inTime(connection) })
    .then(bodyOf)
    .then(({ messages, unmatched }) => {
      const there = others(messages);
      const found = there.filter((one) => failedPatterns(asked, one).length === 0);
      // A test waits after it has caused its mail; mail of other tests arrives at any time.
      const distance = ({ receivedAt }: Message) => Math.abs(Date.parse(receivedAt) - began);
      found.sort((a, b) => distance(a) - distance(b));
      if (found.length > 0) return { fits: isAny ? null : true, count: found.length, named: found };
      // Those of the mailbox itself came before the mark.
      const nearest = others(unmatched.nearest);
      const count = there.length + unmatched.count - (unmatched.nearest.length - nearest.length);
      const named = [...there, ...nearest];
      return { fits: false, count: named.length === 0 ? 0 : count, named };
    })
    .catch(() => null);
}
