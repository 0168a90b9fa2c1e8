/** Statements on the envelope recipients of caught messages. */
import { and, asc, count, desc, eq, gt, max, ne, sql } from 'drizzle-orm';
import { type Db, bind, defineStatement } from '../store.ts';
import type { Tables } from '../schema/tables.ts';
import type { PagedMessage } from './messages.ts';

/** A row to insert. The transaction sets its expiry. */
export type NewCaughtRecipient = Omit<Tables['caughtRecipients']['$inferInsert'], 'expiresAt'>;

/** The parameters of a page of messages. */
export interface CaughtPageParameters extends Record<string, unknown> {
  mailboxId: string;
  now: Date;
  since: Date;
  receivedAt: Date;
  id: string;
  limit: number;
}

/** Caught messages with an envelope recipient, newest first. */
export const caughtMessagePage = defineStatement<
  CaughtPageParameters & { address: string },
  PagedMessage[]
>('caught-message-page', (db) => {
  const { caughtRecipients: c, messages: m } = db.t;
  return db
    .select({ id: c.messageId, receivedAt: c.receivedAt, bodyBytes: m.bodyBytes })
    .from(c)
    .innerJoin(m, eq(m.id, c.messageId))
    .where(
      and(
        eq(c.mailboxId, bind(c.mailboxId, 'mailboxId')),
        eq(c.address, bind(c.address, 'address')),
        gt(c.expiresAt, bind(c.expiresAt, 'now')),
        sql`(${c.receivedAt}, ${c.messageId}) < (${bind(c.receivedAt, 'receivedAt')}, ${bind(c.messageId, 'id')})`,
        gt(c.receivedAt, bind(c.receivedAt, 'since')),
      ),
    )
    .orderBy(desc(c.receivedAt), desc(c.messageId))
    .limit(sql.placeholder('limit'));
});

/** The number of caught messages with an envelope recipient at `now`. */
export const countCaughtMessages = defineStatement<
  { mailboxId: string; address: string; now: Date },
  { total: number }[]
>('count-caught-messages', (db) => {
  const c = db.t.caughtRecipients;
  return db
    .select({ total: count() })
    .from(c)
    .where(
      and(
        eq(c.mailboxId, bind(c.mailboxId, 'mailboxId')),
        eq(c.address, bind(c.address, 'address')),
        gt(c.expiresAt, bind(c.expiresAt, 'now')),
      ),
    );
});

/**
 * The caught addresses of a mailbox after the given one, in alphabetical order, each with the
 * number of its messages and the time of the newest. The address of the mailbox itself is omitted.
 */
export const caughtAddressPage = (
  db: Db,
  place: { mailboxId: string; ownAddress: string; after: string; now: Date; limit: number },
) => {
  const c = db.t.caughtRecipients;
  return db
    .select({ address: c.address, messageCount: count(), lastAt: max(c.receivedAt) })
    .from(c)
    .where(
      and(
        eq(c.mailboxId, place.mailboxId),
        gt(c.address, place.after),
        ne(c.address, place.ownAddress),
        gt(c.expiresAt, place.now),
      ),
    )
    .groupBy(c.address)
    .orderBy(asc(c.address))
    .limit(place.limit);
};
