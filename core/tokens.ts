/**
 * API tokens: `mf_` and 43 base62 characters (256 bits). Only a keyed hash is stored, under the newest
 * key of the ring; a token is looked up by its hash under each key, so that old tokens outlive a rotation.
 */
import { randomInt, timingSafeEqual } from 'node:crypto';
import { type TokenRow, type WorkspaceRow, insertToken, tokenByHash } from '../db/workspaces.js';
import { type Body, type Db, step } from '../db/store.js';
import type { Context } from './context.js';
import { newId } from './ids.js';
import { type Key, type Keyring, keyedHash } from './keyring.js';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TOKEN = /^mf_[0-9A-Za-z]{43}$/;
const PREFIX_LENGTH = 8;

/** Whose request this is. */
export interface Caller {
  token: TokenRow;
  workspace: WorkspaceRow;
}

/** Makes and stores a token inside the caller's transaction; its value is in the result only. */
export function* issueToken(
  tx: Db,
  keyring: Keyring,
  workspaceId: string,
  name: string,
  now: Date,
): Body<{ row: TokenRow; value: string }> {
  const value = `mf_${Array.from({ length: 43 }, () => BASE62[randomInt(62)]).join('')}`;
  const [key] = keyring;
  const [row] = yield* step(
    insertToken(tx, {
      id: newId('token', now.getTime()),
      workspaceId,
      name,
      prefix: value.slice(0, PREFIX_LENGTH),
      hash: tokenHash(key, value),
      keyId: key.id,
      role: 'admin',
      createdAt: now,
    }),
  );
  if (!row) throw new Error('a new token was not stored');
  return { row, value };
}

/** Who bears this token, or null when it is malformed, unknown or revoked. */
export async function verifyToken(context: Context, value: string): Promise<Caller | null> {
  if (!TOKEN.test(value)) return null;
  for (const key of context.keyring) {
    const hash = tokenHash(key, value);
    const [found] = await context.store.read(tokenByHash, { hash });
    if (found && sameText(found.token.hash, hash)) return found;
  }
  return null;
}

function tokenHash(key: Key, value: string): string {
  return keyedHash(key, 'token', value).toString('hex');
}

function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
