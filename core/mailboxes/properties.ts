/** Properties of a mailbox that a request sets. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { type Labels, storedLabels } from './labels.ts';
import { slugFault } from '../addresses.ts';
import type { Caller } from '../auth/caller.ts';
import { mayCreate } from '../auth/reach.ts';
import type { Context } from '../context.ts';
import { allowsCustomNames } from '../workspaces/workspaces.ts';

/** Null means no limit. */
export interface MailboxProperties {
  /** Lifetime in seconds, from now. */
  expiresIn?: number | null;
  labels?: Labels;
  /** Lifetime in seconds of the messages stored from now on. */
  messagesExpireIn?: number | null;
  maxMessages?: number | null;
}

/** A mailbox to create. */
export interface NewMailbox extends MailboxProperties {
  name?: string;
  /** Unique among the live mailboxes of the workspace. */
  clientId?: string;
}

type Columns = Pick<
  Partial<MailboxRow>,
  'expiresAt' | 'labels' | 'messagesExpireIn' | 'maxMessages'
>;

/**
 * The columns of the given properties; absent ones are left out.
 * @throws {AppError} `invalid_labels`, `unprocessable` for a lifetime above MESSAGE_TTL_MS.
 */
export function columnsOf(
  { messageTtlMs }: Pick<Config, 'messageTtlMs'>,
  { expiresIn, labels, messagesExpireIn, maxMessages }: MailboxProperties,
  now: Date,
): Columns {
  if (typeof messagesExpireIn === 'number' && messagesExpireIn * 1000 > messageTtlMs) {
    throw new AppError(
      'unprocessable',
      `"messagesExpireIn" must be at most ${Math.floor(messageTtlMs / 1000)} s, ` +
        'after which this service deletes every message.',
    );
  }
  return {
    ...(expiresIn === undefined ? {} : { expiresAt: after(now, expiresIn) }),
    ...(labels === undefined ? {} : { labels: storedLabels(labels) }),
    ...(messagesExpireIn === undefined ? {} : { messagesExpireIn }),
    ...(maxMessages === undefined ? {} : { maxMessages }),
  };
}

function after(now: Date, seconds: number | null): Date | null {
  return seconds === null ? null : new Date(now.getTime() + seconds * 1000);
}

/**
 * Checks what does not depend on other mailboxes.
 * @throws {AppError} `custom_name_requires_pro`, `forbidden` for a narrow token without one of the
 *   labels, `invalid_name`, `invalid_labels`, `unprocessable`.
 */
export function checkNewMailbox(
  { config, now }: Pick<Context, 'config' | 'now'>,
  { workspace, token }: Caller,
  wanted: NewMailbox,
): void {
  if (!mayCreate(token.mailboxes, wanted.labels ?? {})) {
    throw new AppError(
      'forbidden',
      'This token can create only mailboxes with one of its labels. Add one of them, or use another token.',
    );
  }
  columnsOf(config, wanted, new Date(now()));
  if (wanted.name === undefined) return;
  if (!allowsCustomNames(workspace.plan)) {
    throw new AppError(
      'custom_name_requires_pro',
      'Custom mailbox names require the Pro plan. Leave "name" out to get a generated name.',
    );
  }
  const fault = slugFault(wanted.name.toLowerCase());
  if (fault) throw new AppError('invalid_name', fault);
}
