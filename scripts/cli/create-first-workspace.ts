import { verifyToken } from '../../core/auth/tokens.ts';
import { INBOX } from '../../core/config/smtp.ts';
import type { Context } from '../../core/context.ts';
import { openContext } from '../../core/open-context.ts';
import { loadConfig } from '../../core/process/run-process.ts';
import { createMailbox } from '../../core/mailboxes/mailboxes.ts';
import { createCredential } from '../../core/smtp-credentials/smtp-credentials.ts';
import { AppError } from '../../core/errors.ts';
import { createWorkspace } from '../../core/workspaces/workspaces.ts';
import { type FirstWorkspace, existingWorkspace } from './existing-workspace.ts';
import { openScriptLog } from './run-script.ts';

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
