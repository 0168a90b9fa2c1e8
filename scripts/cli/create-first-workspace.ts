import { verifyToken } from '../../core/auth/tokens.js';
import { INBOX } from '../../core/config/smtp.js';
import type { Context } from '../../core/context.js';
import { openContext } from '../../core/open-context.js';
import { loadConfig } from '../../core/process/run-process.js';
import { createMailbox } from '../../core/mailboxes/mailboxes.js';
import { createCredential } from '../../core/smtp-credentials/smtp-credentials.js';
import { AppError } from '../../core/errors.js';
import { createWorkspace } from '../../core/workspaces/workspaces.js';
import { type FirstWorkspace, existingWorkspace } from './existing-workspace.js';
import { openScriptLog } from './script-log.js';

/** Creates the first workspace of an empty database, with a mailbox on a private instance. */
export async function createFirstWorkspace(): Promise<FirstWorkspace> {
  const config = loadConfig('script');
  const context = await openContext(config, openScriptLog());
  try {
    // Another machine that starts on the same database can be faster.
    const existing = await existingWorkspace(context.store, config.mailDomain);
    if (existing) return existing;
    const token = await create(context);
    const credential =
      config.isPrivate && token !== null ? await createInbox(context, token) : null;
    return { token, credential, domainExists: true };
  } finally {
    await context.close();
  }
}

/** Creates the mailbox that catches mail on a private instance, with a credential. */
async function createInbox(context: Context, token: string): Promise<FirstWorkspace['credential']> {
  const caller = await verifyToken(context, token);
  if (!caller) throw new Error('the token of the first workspace is not valid');
  await createMailbox(context, caller, INBOX);
  const made = await createCredential(context, caller, INBOX, 'first application');
  return { username: made.credential.username, password: made.password };
}

/** Null if another machine has created it meanwhile. */
async function create(context: Context): Promise<string | null> {
  const { mailDomain } = context.config;
  try {
    return (await createWorkspace(context, { name: 'mayfly', domain: mailDomain, plan: 'pro' }))
      .token;
  } catch (error) {
    if (error instanceof AppError && error.code === 'name_taken') return null;
    throw error;
  }
}
