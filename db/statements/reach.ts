/**
 * The mailboxes that a caller can use. Each statement on behalf of a caller takes a {@link Reach},
 * so that no statement finds an expired mailbox or one outside a narrow token.
 */
import { type SQL, and, eq, exists, gt, isNull, or } from 'drizzle-orm';
import { type Db, bind } from '../store.ts';

export interface Label {
  key: string;
  value: string;
}

/** The mailboxes of a narrow token: those with one of the names or one of the labels. */
export interface Scope {
  names: string[];
  labels: Label[];
}

export interface Reach {
  workspaceId: string;
  /** Null for all mailboxes of the workspace. */
  scope: Scope | null;
  now: Date;
}

/** The condition that a mailbox is neither deleted nor expired at `now`. */
export const isLive = ({ t: { mailboxes: m } }: Db, now: Date) =>
  and(isNull(m.deletedAt), or(isNull(m.expiresAt), gt(m.expiresAt, now)));

/** Same as {@link isLive} for a prepared statement with the parameter `now`. */
export const isLiveAtBound = ({ t: { mailboxes: m } }: Db) =>
  and(isNull(m.deletedAt), or(isNull(m.expiresAt), gt(m.expiresAt, bind(m.expiresAt, 'now'))));

/** The condition that a mailbox is live and within the reach. */
export function isWithin(db: Db, { workspaceId, scope, now }: Reach): SQL | undefined {
  const m = db.t.mailboxes;
  return and(eq(m.workspaceId, workspaceId), isUsable(db, { scope, now }));
}

/** Same as {@link isWithin} for mailboxes that are known to be of the workspace. */
export function isUsable(db: Db, { scope, now }: Omit<Reach, 'workspaceId'>): SQL | undefined {
  return and(isLive(db, now), scope ? isInScope(db, scope) : undefined);
}

/** The condition that a mailbox has all of these labels. */
export function hasLabels(db: Db, labels: Label[]): SQL | undefined {
  // oxlint-disable-next-line mayfly/bounded-arguments -- a request has at most 10 labels
  return and(...labels.map((label) => hasLabel(db, label)));
}

function isInScope(db: Db, { names, labels }: Scope): SQL | undefined {
  const hasOne = labels.map((label) => hasLabel(db, label));
  // No name is in an empty list, so an empty scope includes no mailbox.
  // oxlint-disable-next-line mayfly/bounded-arguments -- a token has at most 100 labels
  return or(db.among(db.t.mailboxes.name, names), ...hasOne);
}

/** The form in which values of labels compare: Unicode has several for `ü`. Case counts. */
export function comparedValue(value: string): string {
  return value.normalize('NFKC');
}

/** Rows have the form that compares; those of earlier versions have the value as it was sent. */
export function storedForms({ value }: Label): string[] {
  return [
    ...new Set([comparedValue(value), value, value.normalize('NFC'), value.normalize('NFD')]),
  ];
}

function hasLabel(db: Db, label: Label): SQL {
  const { mailboxes: m, mailboxLabels: l } = db.t;
  const [value = '', ...others] = storedForms(label);
  const found = db
    .select({ id: l.id })
    .from(l)
    .where(
      and(
        eq(l.workspaceId, m.workspaceId),
        eq(l.key, label.key),
        others.length === 0 ? eq(l.value, value) : db.among(l.value, [value, ...others]),
        eq(l.mailboxId, m.id),
      ),
    );
  return exists(found);
}
