import { step } from '../../db/store.js';
import { insertToken } from '../../db/statements/tokens.js';
import {
  type WorkspaceRow,
  anyWorkspace,
  insertWorkspace,
  updatePlan,
  workspaceByDomain,
} from '../../db/statements/workspaces.js';
import { isDomainName, normaliseDomain } from '../addresses.js';
import type { Config } from '../config/config.js';
import type { Context } from '../context.js';
import { AppError, errorText } from '../errors.js';
import { newId } from '../ids.js';
import { type MintedToken, type NewToken, mintToken } from '../auth/tokens.js';

export type Plan = 'free' | 'pro';

export const planNames: Record<Plan, string> = { free: 'Free', pro: 'Pro' };

/** How many mailboxes a workspace of this plan may have; null when there is no limit. */
export function mailboxLimit(config: Pick<Config, 'mailboxLimits'>, plan: Plan): number | null {
  return config.mailboxLimits[plan] || null;
}

/** Custom mailbox names require the Pro plan. */
export function allowsCustomNames(plan: Plan): boolean {
  return plan === 'pro';
}

export interface NewWorkspace {
  name: string;
  domain: string;
  plan: Plan;
}

/** A workspace with its first token, whose value is told here and never again. */
export interface CreatedWorkspace extends NewWorkspace {
  workspaceId: string;
  token: string;
}

/**
 * Makes a workspace and its first token.
 * @throws {AppError} `invalid_request` for a bad name or domain, `name_taken` when another has the domain,
 * `encryption_failed`.
 */
export async function createWorkspace(
  context: Context,
  wanted: NewWorkspace,
): Promise<CreatedWorkspace> {
  const name = wanted.name.trim();
  const domain = normaliseDomain(wanted.domain);
  if (!name) throw new AppError('invalid_request', 'A workspace needs a name.');
  if (!isDomainName(domain)) {
    throw new AppError('invalid_request', `"${wanted.domain}" is not a domain name.`);
  }
  const now = new Date(context.now());
  const workspaceId = newId('workspace', now.getTime());
  const token = mintToken(context, workspaceId, { name: 'first token', role: 'admin' });
  await context.store.transaction(function* (tx) {
    const inserted = yield* step(
      insertWorkspace(tx, { id: workspaceId, name, domain, plan: wanted.plan, createdAt: now }),
    );
    if (inserted.length === 0) {
      throw new AppError('name_taken', `The domain ${domain} belongs to another workspace.`);
    }
    yield* step(insertToken(tx, token.row));
  });
  await announceDomain(context, domain);
  return { workspaceId, name, domain, plan: wanted.plan, token: token.value };
}

/**
 * Makes a token for the workspace with this domain in nobody's name: for the operator, when nobody has a token of
 * it any more.
 * @throws {AppError} `not_found` when no workspace has the domain, `encryption_failed`.
 */
export async function grantToken(
  context: Pick<Context, 'now' | 'store' | 'secrets'>,
  domain: string,
  wanted: NewToken,
): Promise<MintedToken> {
  const workspace = await findWorkspace(context, domain);
  const token = mintToken(context, workspace.id, wanted);
  await context.store.transaction((tx) => step(insertToken(tx, token.row)));
  return token;
}

/** @throws {AppError} `not_found` when no workspace has the domain. */
export async function findWorkspace(
  context: Pick<Context, 'store'>,
  domain: string,
): Promise<WorkspaceRow> {
  const [workspace] = await context.store.ask(workspaceByDomain, normaliseDomain(domain));
  return workspace ?? noWorkspace(domain);
}

/**
 * Changes the plan of the workspace with this domain, from its next request on. Mailboxes above the limit of the
 * new plan stay.
 * @throws {AppError} `not_found` when no workspace has the domain.
 */
export async function changePlan(
  context: Pick<Context, 'store'>,
  domain: string,
  plan: Plan,
): Promise<WorkspaceRow> {
  const [workspace] = await context.store.transaction((tx) =>
    step(updatePlan(tx, normaliseDomain(domain), plan)),
  );
  return workspace ?? noWorkspace(domain);
}

/** Whether any workspace exists. */
export async function hasWorkspace(context: Pick<Context, 'store'>): Promise<boolean> {
  return (await context.store.ask(anyWorkspace)).length > 0;
}

function noWorkspace(domain: string): never {
  throw new AppError('not_found', `No workspace has the domain "${domain}".`);
}

/** The workspace exists by now; a directory that cannot be told is brought up to date by the next comparison. */
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
