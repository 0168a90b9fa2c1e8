/** Statements for requests that wait for messages. */
import { and, gt, inArray } from 'drizzle-orm';
import type { Db } from '../store.ts';
import { isValid } from './token-validity.ts';

/** The messages in these mailboxes that were received after a time and are visible. */
export const recentMessages = (db: Db, mailboxIds: string[], since: Date, now: Date) => {
  const m = db.t.messages;
  return db
    .select({ id: m.id, mailboxId: m.mailboxId })
    .from(m)
    .where(and(inArray(m.mailboxId, mailboxIds), gt(m.receivedAt, since), gt(m.expiresAt, now)));
};

/** Those of these tokens that are valid. */
export const liveTokenIds = (db: Db, ids: string[], now: Date) =>
  db
    .select({ id: db.t.tokens.id })
    .from(db.t.tokens)
    .where(and(inArray(db.t.tokens.id, ids), isValid(db, now)));
