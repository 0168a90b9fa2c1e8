/** Properties of a mailbox that a request sets. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { type Labels, storedLabels } from './labels.ts';

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
