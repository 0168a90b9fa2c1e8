/**
 * API tokens: `mf_` and 43 base62 characters (256 bits), or the value of BOOTSTRAP_TOKEN. Only a
 * keyed hash is stored, under the newest key of the ring. A token is looked up by its hash under
 * each key, so tokens stay valid after a key rotation.
 */
import { timingSafeEqual } from 'node:crypto';
import { query } from '../../db/store.ts';
import {
  type TokenRow,
  insertToken,
  liveTokenForAll,
  liveTokens,
  markTokenRevoked,
  tokenByHash,
  tokenById,
} from '../../db/statements/tokens.ts';
import type { Caller } from './caller.ts';
import { transactionAs } from './transaction-as.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Role } from './roles.ts';
import { storedScope } from './reach.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TOKEN = /^[!-~]{32,200}$/;
const PREFIX_LENGTH = 8;
const PAGE = 500;

/** A stored token: its hash, not its value. */
export type Token = TokenRow;

export interface NewToken {
  /** A label chosen by the user. */
  name: string;
  role: Role;
  /** Lifetime in seconds; null for no expiry. */
  expiresIn?: number | null;
  /** The mailboxes that the token can use: names, and labels as `key:value`. Null for all. */
  mailboxes?: string[] | null;
}

/** A token before it is stored: its row, and its value, which is returned once and not stored. */
export interface MintedToken {
  row: TokenRow;
  value: string;
}

/**
 * Creates a token for the caller to store. The cryptography runs here, outside the transaction.
 * @param given the value of BOOTSTRAP_TOKEN; null for a random one
 * @throws {AppError} `encryption_failed` if the cryptography fails.
 */
export function mintToken(
  { secrets, now }: Pick<Context, 'secrets' | 'now'>,
  workspaceId: string,
  { name, role, expiresIn = null, mailboxes = null }: NewToken,
  given: string | null = null,
): MintedToken {
  const createdAt = new Date(now());
  const { crypto, keyring } = secrets;
  const [key] = keyring;
  try {
    const value =
      given ?? `mf_${Array.from({ length: 43 }, () => BASE62[crypto.randomInt(62)]).join('')}`;
    const row = {
      id: newId('token', createdAt.getTime()),
      workspaceId,
      name: name.toWellFormed(),
      prefix: value.slice(0, PREFIX_LENGTH),
      hash: crypto.keyedHash(key, 'token', value).toString('hex'),
      keyId: key.id,
      role,
      lastUsedAt: null,
      createdAt,
      revokedAt: null,
      expiresAt: expiresIn === null ? null : new Date(createdAt.getTime() + expiresIn * 1000),
      mailboxes,
    };
    return { row, value };
  } catch (cause) {
    throw new AppError(
      'encryption_failed',
      'The token could not be hashed. Nothing was stored. Retry the request.',
      {
        cause,
      },
    );
  }
}

/** The live tokens of the caller's workspace, newest first, in pages of at most {@link PAGE}. */
export async function* listTokens(
  context: Pick<Context, 'now' | 'store'>,
  { workspace }: Caller,
): AsyncGenerator<TokenRow[], void> {
  let before: string | null = null;
  do {
    const asked = { workspaceId: workspace.id, before, limit: PAGE };
    const page: TokenRow[] = await context.store.query(liveTokens, asked, new Date(context.now()));
    yield page;
    before = page.length < PAGE ? null : (page.at(-1)?.id ?? null);
  } while (before !== null);
}

/**
 * Creates a token, which expires no later than that of the caller.
 * @throws {AppError} `unprocessable` for `mailboxes`, `encryption_failed`, `unauthorized`.
 */
export async function createToken(
  context: Pick<Context, 'now' | 'store' | 'secrets'>,
  caller: Caller,
  wanted: NewToken,
): Promise<MintedToken> {
  const { id: workspaceId, domain } = caller.workspace;
  const mailboxes = wanted.mailboxes ? storedScope(wanted.mailboxes, domain) : null;
  const { row, value } = mintToken(context, workspaceId, { ...wanted, mailboxes });
  const capped = { ...row, expiresAt: earlier(row.expiresAt, caller.token.expiresAt) };
  await transactionAs(context, caller, (tx) => query(insertToken(tx, capped)));
  return { row: capped, value };
}

/** Null is never. */
function earlier(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

/**
 * Revokes a token of the caller's workspace, which can be the caller's own. After the commit all
 * processes reject it, and requests in progress with it end with 401.
 * @throws {AppError} `not_found` if the workspace has no such live token, `unauthorized`.
 */
export async function revokeToken(
  context: Pick<Context, 'now' | 'store' | 'events'>,
  caller: Caller,
  id: string,
): Promise<void> {
  const now = new Date(context.now());
  const revoked = await transactionAs(context, caller, (tx) =>
    query(markTokenRevoked(tx, caller.workspace.id, id, now)),
  );
  if (revoked.length === 0) {
    throw new AppError('not_found', `No such token: "${id.slice(0, 64)}".`);
  }
  await context.events.hub.revoke(id);
}

/** The caller with this token, or null if it is malformed, unknown, revoked or expired. */
export async function verifyToken(
  context: Pick<Context, 'now' | 'store' | 'secrets'>,
  value: string,
): Promise<Caller | null> {
  if (!TOKEN.test(value)) return null;
  const now = new Date(context.now());
  for (const key of context.secrets.keyring) {
    const hash = context.secrets.crypto.keyedHash(key, 'token', value).toString('hex');
    const [found] = await context.store.execute(tokenByHash, { hash, now });
    if (found && sameText(found.token.hash, hash)) return found;
  }
  return null;
}

/** The caller with this token id, or null if it is revoked or expired. For browser sessions. */
export async function bearerOf(
  context: Pick<Context, 'now' | 'store'>,
  tokenId: string,
): Promise<Caller | null> {
  const now = new Date(context.now());
  const [found] = await context.store.execute(tokenById, { id: tokenId, now });
  return found ?? null;
}

/**
 * The workspace with that of its newest tokens that may do most, or null if it has no live token
 * for all mailboxes.
 */
export async function bearerOfWorkspace(
  context: Pick<Context, 'now' | 'store'>,
  workspace: Caller['workspace'],
): Promise<Caller | null> {
  const now = new Date(context.now());
  const [token] = await context.store.query(liveTokenForAll, workspace.id, now);
  return token ? { token, workspace } : null;
}

function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
