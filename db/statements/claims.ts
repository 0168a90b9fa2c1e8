/**
 * Statements on claims. A claim is live while its message exists and its lease has not ended, by
 * the clock of the database: the clocks of web processes can differ.
 */
import { type SQL, and, asc, between, eq, gt, isNull, lte, notExists, or, sql } from 'drizzle-orm';
import { type Db, bind, defineStatement } from '../store.ts';
import type { Tables } from '../schema/tables.ts';
import { type NumberedMessage, isAfterNumber, isShown, numbered } from './messages.ts';

export type ClaimRow = Tables['claims']['$inferSelect'];

interface NewClaim extends Record<string, unknown> {
  messageId: string;
  mailboxId: string;
  /** The time by which expired messages are told. */
  now: Date;
  id: string;
  owner: string | null;
}

const isLive = (db: Db) => {
  const c = db.t.claims;
  return or(isNull(c.expiresAt), gt(c.expiresAt, db.clock()));
};

/**
 * Claims a message that is visible and has no live claim; returns nothing otherwise. The statement
 * is atomic, so of two requests one gets the message.
 */
const claim = (db: Db, expiresAt: SQL) => {
  const { claims: c, messages: m } = db.t;
  const newClaim = db
    .select({
      messageId: m.id,
      mailboxId: m.mailboxId,
      id: sql<string>`${bind(c.id, 'id')}`.as('id'),
      owner: sql<string | null>`${bind(c.owner, 'owner')}`.as('owner'),
      expiresAt: sql<Date | null>`${expiresAt}`.as('expires_at'),
      claimedAt: sql<Date>`${db.clock()}`.as('claimed_at'),
    })
    .from(m)
    .where(
      and(
        eq(m.id, bind(m.id, 'messageId')),
        eq(m.mailboxId, bind(m.mailboxId, 'mailboxId')),
        gt(m.expiresAt, bind(m.expiresAt, 'now')),
      ),
    );
  return db
    .insert(c)
    .select(newClaim)
    .onConflictDoUpdate({
      target: c.messageId,
      set: {
        id: sql`excluded.id`,
        owner: sql`excluded.owner`,
        expiresAt: sql`excluded.expires_at`,
        claimedAt: sql`excluded.claimed_at`,
      },
      setWhere: lte(c.expiresAt, db.clock()),
    })
    .returning();
};

/** Claims a message without a lease. */
export const claimForGood = defineStatement<NewClaim, ClaimRow[]>('claim-for-good', (db) =>
  claim(db, sql`null`),
);

/** Claims a message for `leaseMs` milliseconds. */
export const claimForTime = defineStatement<NewClaim & { leaseMs: number }, ClaimRow[]>(
  'claim-lease',
  (db) => claim(db, db.clock(sql`${sql.placeholder('leaseMs')}`)),
);

/** The condition of messages without a live claim. */
const isFree = (db: Db) => {
  const { claims: c, messages: m } = db.t;
  const claimed = db
    .select({ id: c.id })
    .from(c)
    .where(and(eq(c.messageId, m.id), isLive(db)));
  return notExists(claimed);
};

/** The first visible message above a number that is not claimed for good. */
export const firstUnclaimed = defineStatement<
  { mailboxId: string; now: Date; number: number },
  { number: number }[]
>('first-unclaimed', (db) => {
  const { claims: c, messages: m } = db.t;
  const claimed = db
    .select({ id: c.id })
    .from(c)
    .where(and(eq(c.messageId, m.id), isNull(c.expiresAt)));
  return db
    .select({ number: m.number })
    .from(m)
    .where(and(isShown(db), gt(m.number, bind(m.number, 'number')), notExists(claimed)))
    .orderBy(asc(m.number))
    .limit(1);
});

/**
 * Visible messages of a mailbox whose claim was released or has ended, in any order. They are found
 * by their claims, so there is no condition on the mailbox of the message.
 */
export const releasedMessages = defineStatement<
  { mailboxId: string; now: Date; limit: number },
  NumberedMessage[]
>('released-messages', (db) => {
  const { claims: c, messages: m } = db.t;
  return db
    .select(numbered(db))
    .from(c)
    .innerJoin(m, eq(m.id, c.messageId))
    .where(
      and(
        eq(c.mailboxId, bind(c.mailboxId, 'mailboxId')),
        lte(c.expiresAt, db.clock()),
        gt(m.expiresAt, bind(m.expiresAt, 'now')),
      ),
    )
    .limit(sql.placeholder('limit'));
});

/** Visible messages without a live claim after a place in the order of commits, in this order. */
export const freeMessages = defineStatement<
  { mailboxId: string; now: Date; number: number; id: string; limit: number },
  NumberedMessage[]
>('free-messages', (db) => {
  const m = db.t.messages;
  return db
    .select(numbered(db))
    .from(m)
    .where(and(isShown(db), isAfterNumber(db), isFree(db)))
    .orderBy(asc(m.number), asc(m.id))
    .limit(sql.placeholder('limit'));
});

/** The live claims of these messages. */
export const liveClaimsAmong = (db: Db, messageIds: string[]) => {
  const c = db.t.claims;
  return db
    .select({ messageId: c.messageId })
    .from(c)
    .where(and(db.among(c.messageId, messageIds), isLive(db)));
};

/**
 * The claims of one request, by the first and the last of their ids. The condition on the mailbox
 * is an expression: SQLite would use the index of the mailbox otherwise, and read all its claims.
 */
export const claimsBetween = (db: Db, mailboxId: string, first: string, last: string) => {
  const c = db.t.claims;
  return db
    .select()
    .from(c)
    .where(and(between(c.id, first, last), sql`${c.mailboxId} || '' = ${mailboxId}`))
    .orderBy(asc(c.id));
};

/** The last claim of a message, and whether it is live. */
export const claimOf = (db: Db, messageId: string) => {
  const c = db.t.claims;
  return db
    .select({ claim: c, isLive: sql<boolean>`${isLive(db)}`.mapWith(Boolean) })
    .from(c)
    .where(eq(c.messageId, messageId));
};

/** Sets the end of a claim to `leaseMs` from now, or removes it. */
export const extendClaim = (db: Db, id: string, leaseMs: number | null) =>
  db
    .update(db.t.claims)
    .set({ expiresAt: leaseMs === null ? null : db.clock(sql`${leaseMs}`) })
    .where(eq(db.t.claims.id, id))
    .returning();

/**
 * Ends a claim at the beginning of time, so that its message is found with those of ended leases.
 * The new id keeps its holder from extending it.
 */
export const endClaim = (db: Db, id: string, newId: string) =>
  db
    .update(db.t.claims)
    .set({ id: newId, expiresAt: new Date(0) })
    .where(eq(db.t.claims.id, id))
    .returning({ id: db.t.claims.id });

/** Leases in these mailboxes that ended within the last `windowMs`, in the order of their ends. */
export const endedClaims = (db: Db, mailboxIds: string[], windowMs: number) => {
  const c = db.t.claims;
  return db
    .select({ messageId: c.messageId, placeId: c.mailboxId, expiresAt: c.expiresAt })
    .from(c)
    .where(and(db.among(c.mailboxId, mailboxIds), hasEnded(db, windowMs)))
    .orderBy(asc(c.expiresAt));
};

/** Same, in all mailboxes of these workspaces. */
export const endedClaimsOfWorkspaces = (db: Db, workspaceIds: string[], windowMs: number) => {
  const { claims: c, mailboxes } = db.t;
  return db
    .select({ messageId: c.messageId, placeId: mailboxes.workspaceId, expiresAt: c.expiresAt })
    .from(mailboxes)
    .innerJoin(c, eq(c.mailboxId, mailboxes.id))
    .where(and(db.among(mailboxes.workspaceId, workspaceIds), hasEnded(db, windowMs)))
    .orderBy(asc(c.expiresAt));
};

const hasEnded = (db: Db, windowMs: number) => {
  const c = db.t.claims;
  return and(lte(c.expiresAt, db.clock()), gt(c.expiresAt, db.clock(sql`${-windowMs}`)));
};
