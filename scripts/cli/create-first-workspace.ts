import { verifyToken } from '../../core/auth/tokens.js';
import { INBOX } from '../../core/config/smtp.js';
import type { Context } from '../../core/context.js';
import { openContext } from '../../core/open-context.js';
import { loadConfig } from '../../core/process/run-process.js';
import { createMailbox } from '../../core/mailboxes/mailboxes.js';
import { createCredential } from '../../core/smtp-credentials/smtp-credentials.js';
import { AppError } from '../../core/errors.js';
import { createWorkspace, hasWorkspace } from '../../core/workspaces/workspaces.js';
import { allDomains } from '../../db/statements/workspaces.js';
import { openScriptLog } from './script-log.js';

export interface FirstWorkspace {
  /** Token of the workspace that was created; null if one existed. */
  token: string | null;
  /** SMTP credential of the first mailbox; null unless it was created now. */
  credential: { username: string; password: string } | null;
  /** Whether a workspace has the domain of MAIL_DOMAIN. */
  domainExists: boolean;
}

/** Creates the first workspace of an empty database, with a mailbox on a private instance. */
export async function createFirstWorkspace(): Promise<FirstWorkspace> {
  const config = loadConfig('script');
  const context = await openContext(config, openScriptLog());
  try {
    const token = (await hasWorkspace(context)) ? null : await create(context);
    const isPrivate = config.isPrivate && token !== null;
    const credential = isPrivate ? await createInbox(context, token) : null;
    const domains = await context.store.ask(allDomains);
    const domainExists = domains.some(({ domain }) => domain === config.mailDomain);
    return { token, credential, domainExists };
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

/** Another machine that starts on the same database can be faster. */
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
