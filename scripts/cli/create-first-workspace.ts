import { verifyToken } from '../../core/auth/tokens.ts';
import type { Caller } from '../../core/auth/caller.ts';
import type { Context } from '../../core/context.ts';
import { openContext } from '../../core/open-context.ts';
import { loadConfig } from '../../core/process/run-process.ts';
import { createMailbox } from '../../core/mailboxes/mailboxes.ts';
import { ensureCredential } from '../../core/smtp-credentials/ensure-credential.ts';
import { createCredential } from '../../core/smtp-credentials/smtp-credentials.ts';
import { AppError } from '../../core/errors.ts';
import { createWorkspace, ensureToken } from '../../core/workspaces/workspaces.ts';
import { type FirstWorkspace, existingWorkspace } from './existing-workspace.ts';
import { openScriptLog } from './run-script.ts';

/**
 * Creates the first workspace of an empty database, with a mailbox on a private instance. With
 * BOOTSTRAP_TOKEN, each start also creates what is missing of the token, BOOTSTRAP_MAILBOX and the
 * credential of BOOTSTRAP_SMTP_PASSWORD.
 */
export async function createFirstWorkspace(): Promise<FirstWorkspace> {
  const config = loadConfig('script');
  const context = await openContext(config, openScriptLog());
  try {
    // Another machine that starts on the same database can be faster.
    const existing = await existingWorkspace(context.store, config.mailDomain);
    const created = existing ? null : await create(context);
    const given = config.bootstrap.token;
    if (created === null && given !== null) await ensureToken(context, config.mailDomain, given);
    const [token, isNew] = [created ?? given, created !== null];
    const credential = token === null ? null : await prepareMailbox(context, token, isNew);
    return { isNew, token, credential, domainExists: existing?.domainExists ?? true };
  } finally {
    await context.close();
  }
}

/** Creates the first mailbox and its credential, as far as this start needs them. */
async function prepareMailbox(
  context: Context,
  token: string,
  isNew: boolean,
): Promise<FirstWorkspace['credential']> {
  const { bootstrap, isPrivate } = context.config;
  if (!bootstrap.needsMailbox && !(isNew && isPrivate)) return null;
  const caller = await verifyToken(context, token);
  if (!caller) throw new Error('the token of the first workspace is not valid');
  const { mailbox, smtpPassword } = bootstrap;
  await createUnlessThere(context, caller, mailbox);
  if (smtpPassword !== null) {
    await ensureCredential(context, caller, mailbox, smtpPassword);
    return { username: mailbox, password: smtpPassword };
  }
  if (!isNew || !isPrivate) return null;
  const made = await createCredential(context, caller, mailbox, 'first application');
  return { username: made.credential.username, password: made.password };
}

async function createUnlessThere(context: Context, caller: Caller, name: string): Promise<void> {
  try {
    await createMailbox(context, caller, name);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'name_taken')) throw error;
  }
}

/** Null if another machine has created it meanwhile. */
async function create(context: Context): Promise<string | null> {
  const { mailDomain, bootstrap } = context.config;
  try {
    const wanted = { name: 'mayfly', domain: mailDomain, plan: 'pro' as const };
    return (await createWorkspace(context, wanted, bootstrap.token)).token;
  } catch (error) {
    if (error instanceof AppError && error.code === 'name_taken') return null;
    throw error;
  }
}
