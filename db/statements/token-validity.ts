import { and, gt, isNull, or } from 'drizzle-orm';
import { type Db, bind } from '../store.ts';

/** The condition that a token is neither revoked nor expired at `now`. */
export const isValid = ({ t: { tokens: t } }: Db, now: Date) =>
  and(isNull(t.revokedAt), or(isNull(t.expiresAt), gt(t.expiresAt, now)));

/** Same as {@link isValid} for a prepared statement with the parameter `now`. */
export const isValidAtBound = ({ t: { tokens: t } }: Db) =>
  and(isNull(t.revokedAt), or(isNull(t.expiresAt), gt(t.expiresAt, bind(t.expiresAt, 'now'))));
