import { query } from '../../db/store.ts';
import { anyLiveToken, insertNewToken, insertToken } from '../../db/statements/tokens.ts';
import {
  type WorkspaceRow,
  insertWorkspace,
  liveMailboxCounts,
  liveTokenCounts,
  updatePlan,
  workspaceByDomain,
  workspacesAfter,
} from '../../db/statements/workspaces.ts';
import { isDomainName, normalizeDomain } from '../addresses.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../context.ts';
import { AppError, errorText } from '../errors.ts';
import { newId } from '../ids.ts';
import { type MintedToken, type NewToken, mintToken, verifyToken } from '../auth/tokens.ts';

export type Plan = 'free' | 'pro';

export const planNames: Record<Plan, string> = { free: 'Free', pro: 'Pro' };

/** Maximum number of mailboxes on this plan; null for no limit. */
export function mailboxLimit(config: Pick<Config, 'mailboxLimits'>, plan: Plan): number | null {
  return config.mailboxLimits[plan] || null;
}

/** Custom mailbox names require the Pro plan. */
export function allowsCustomNames(plan: Plan): boolean {
  return plan === 'pro';
}

const FIRST_TOKEN: NewToken = { name: 'first token', role: 'admin' };

/** Of {@link listWorkspaces}; other work runs between pages. */
const PAGE = 500;

export interface NewWorkspace {
  name: string;
  domain: string;
  plan: Plan;
}

/** A workspace with its first token, whose value is returned only here. */
export interface CreatedWorkspace extends NewWorkspace {
  workspaceId: string;
  token: string;
}

/**
 * Creates a workspace and its first token.
 * @param tokenValue the value of BOOTSTRAP_TOKEN; null for a random one
 * @throws {AppError} `invalid_request` for an invalid name or domain, `name_taken` if the domain is
 *   in use, `encryption_failed`.
 */
export async function createWorkspace(
  context: Context,
  wanted: NewWorkspace,
  tokenValue: string | null = null,
): Promise<CreatedWorkspace> {
  const name = wanted.name.trim();
  const domain = normalizeDomain(wanted.domain);
  if (!name) throw new AppError('invalid_request', 'The name of the workspace must not be empty.');
  if (!isDomainName(domain)) {
    throw new AppError('invalid_request', `"${wanted.domain}" is not a domain name.`);
  }
  const now = new Date(context.now());
  const workspaceId = newId('workspace', now.getTime());
  const token = mintToken(context, workspaceId, FIRST_TOKEN, tokenValue);
  await context.store.transaction(function* (tx) {
    const inserted = yield* query(
      insertWorkspace(tx, { id: workspaceId, name, domain, plan: wanted.plan, createdAt: now }),
    );
    if (inserted.length === 0) {
      throw new AppError(
        'name_taken',
        `The domain ${domain} belongs to another workspace. Choose another domain.`,
      );
    }
    yield* query(insertToken(tx, token.row));
  });
  await announceDomain(context, domain);
  return { workspaceId, name, domain, plan: wanted.plan, token: token.value };
}

/**
 * Creates a token for the workspace with this domain on behalf of the operator, for example after
 * its last token was lost.
 * @throws {AppError} `not_found` if no workspace has the domain, `encryption_failed`.
 */
export async function grantToken(
  context: Pick<Context, 'now' | 'store' | 'secrets'>,
  domain: string,
  wanted: NewToken,
): Promise<MintedToken> {
  const workspace = await findWorkspace(context, domain);
  const token = mintToken(context, workspace.id, wanted);
  await context.store.transaction((tx) => query(insertToken(tx, token.row)));
  return token;
}

/**
 * Makes the value of BOOTSTRAP_TOKEN a token of the workspace with this domain, if there is no live
 * token. Changes nothing if it is one.
 * @throws {AppError} `invalid_request` if it is none and another one exists, `not_found` if no
 *   workspace has the domain, `encryption_failed`.
 */
export async function ensureToken(
  context: Pick<Context, 'now' | 'store' | 'secrets'>,
  domain: string,
  value: string,
): Promise<void> {
  if (await verifyToken(context, value)) return;
  const workspace = await findWorkspace(context, domain);
  const { row } = mintToken(context, workspace.id, FIRST_TOKEN, value);
  await context.store.transaction(function* (tx) {
    const others = yield* query(anyLiveToken(tx, row.createdAt));
    const inserted = others.length > 0 ? [] : yield* query(insertNewToken(tx, row));
    if (inserted.length > 0) return;
    throw new AppError(
      'invalid_request',
      'BOOTSTRAP_TOKEN is not a valid token of this instance: another token exists, or this one was revoked. Set the value of the first start, or unset it.',
    );
  });
}

/** All workspaces ordered by domain, each with the numbers of its live mailboxes and tokens. */
export async function listWorkspaces({ store, now }: Pick<Context, 'now' | 'store'>) {
  const all: (WorkspaceRow & { mailboxes: number; tokens: number })[] = [];
  for (let size = PAGE; size === PAGE;) {
    const page = await store.query(workspacesAfter, all.at(-1)?.domain ?? '', PAGE);
    const ids = page.map(({ id }) => id);
    const at = new Date(now());
    const mailboxes = byWorkspace(await store.query(liveMailboxCounts, ids, at));
    const tokens = byWorkspace(await store.query(liveTokenCounts, ids, at));
    for (const row of page) {
      all.push({ ...row, mailboxes: mailboxes(row.id), tokens: tokens(row.id) });
    }
    size = page.length;
  }
  return all;
}

function byWorkspace(rows: { workspaceId: string; live: number }[]): (id: string) => number {
  const counts = new Map(rows.map(({ workspaceId, live }) => [workspaceId, live]));
  return (id) => counts.get(id) ?? 0;
}

/** The workspace with this domain, if there is one. */
export async function workspaceOfDomain(
  { store }: Pick<Context, 'store'>,
  domain: string,
): Promise<WorkspaceRow | null> {
  const [workspace] = await store.query(workspaceByDomain, normalizeDomain(domain));
  return workspace ?? null;
}

/** @throws {AppError} `not_found` if no workspace has the domain. */
export async function findWorkspace(
  context: Pick<Context, 'store'>,
  domain: string,
): Promise<WorkspaceRow> {
  return (await workspaceOfDomain(context, domain)) ?? noWorkspace(domain);
}

/**
 * Changes the plan of the workspace with this domain, effective with its next request. Mailboxes
 * above the limit of the new plan stay.
 * @throws {AppError} `not_found` if no workspace has the domain.
 */
export async function changePlan(
  context: Pick<Context, 'store'>,
  domain: string,
  plan: Plan,
): Promise<WorkspaceRow> {
  const [workspace] = await context.store.transaction((tx) =>
    query(updatePlan(tx, normalizeDomain(domain), plan)),
  );
  return workspace ?? noWorkspace(domain);
}

function noWorkspace(domain: string): never {
  throw new AppError('not_found', `No workspace has the domain "${domain}".`);
}

/**
 * The workspace already exists. If the directory cannot be updated, the next comparison corrects
 * it.
 */
async function announceDomain(
  context: Pick<Context, 'log' | 'directory'>,
  domain: string,
): Promise<void> {
  try {
    await context.directory.addDomain(domain);
  } catch (error) {
    context.log.warn('domain not yet in the recipient directory', {
      domain,
      fault: errorText(error),
    });
  }
}
