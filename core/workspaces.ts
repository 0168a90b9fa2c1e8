import { step } from '../db/store.js';
import { insertToken } from '../db/tokens.js';
import { anyWorkspace, insertWorkspace, workspaceByDomain } from '../db/workspaces.js';
import { isDomainName, normaliseDomain } from './addresses.js';
import type { Context } from './context.js';
import { AppError, errorText } from './errors.js';
import { newId } from './ids.js';
import type { Plan } from './plans.js';
import { type MintedToken, type NewToken, mintToken } from './tokens.js';

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
  context: Context,
  domain: string,
  wanted: NewToken,
): Promise<MintedToken> {
  const [workspace] = await context.store.ask(workspaceByDomain, normaliseDomain(domain));
  if (!workspace) throw new AppError('not_found', `No workspace has the domain "${domain}".`);
  const token = mintToken(context, workspace.id, wanted);
  await context.store.transaction((tx) => step(insertToken(tx, token.row)));
  return token;
}

/** Whether any workspace exists. */
export async function hasWorkspace(context: Context): Promise<boolean> {
  return (await context.store.ask(anyWorkspace)).length > 0;
}

/** The workspace exists by now; a directory that cannot be told is brought up to date by the next comparison. */
async function announceDomain(context: Context, domain: string): Promise<void> {
  try {
    await context.directory.addDomain(domain);
  } catch (error) {
    context.log.warn('domain not yet in the recipient directory', {
      domain,
      fault: errorText(error),
    });
  }
}
