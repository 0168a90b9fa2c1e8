import {
  type WebhookRow,
  countWebhooks,
  insertWebhook,
  selectWebhooks,
  removeWebhook,
  updateWebhook,
  webhookById,
} from '../../db/statements/webhooks.ts';
import { liveMailboxIds } from '../../db/statements/mailboxes.ts';
import { query } from '../../db/store.ts';
import { transactionAs } from '../auth/transaction-as.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { eventOf } from '../events/event.ts';
import { mailboxNotFound, type MailboxRow, requireMailbox } from '../mailboxes/mailboxes.ts';
import { activeChange, urlChange } from './auto-pause.ts';
import type { Caller } from '../auth/caller.ts';
import { newSecret } from './signature.ts';
import type { PayloadPart } from './payload.ts';
import { parseWebhookUrl } from './url-policy.ts';

export type { WebhookRow };

/** A webhook and its signing secret in plain text; the row contains the sealed secret. */
export interface WebhookWithSecret {
  webhook: WebhookRow;
  secret: string;
}

export interface WebhookChange {
  url?: string;
  active?: boolean;
}

/** Default overlap in seconds, during which the previous secret also signs. */
export const PREVIOUS_SECRET_TTL_S = 24 * 3600;

/**
 * Registers a webhook on a mailbox. Only this result contains the signing secret in plain text.
 * @throws {AppError} `invalid_request` for the URL, `not_found` for the mailbox, `webhook_limit`,
 *   `unauthorized`.
 */
export async function registerWebhook(
  context: Context,
  caller: Caller,
  mailboxName: string,
  url: string,
  include: PayloadPart[] = [],
): Promise<WebhookWithSecret> {
  const mailbox = await requireMailbox(context, caller, mailboxName);
  const href = parseWebhookUrl(context.config.webhooks, url);
  const createdAt = new Date(context.now());
  const id = newId('webhook', createdAt.getTime());
  const { secret, sealed } = newSecret(context.secrets.keyring, id);
  const row = await transactionAs(context, caller, function* (tx) {
    const live = yield* query(liveMailboxIds(tx, [mailbox.id], createdAt));
    if (live.length === 0) return undefined; // deleted meanwhile
    const [there] = yield* query(countWebhooks(tx, mailbox.id));
    requireBelowLimit(context.config.webhooks.perMailbox, there?.count ?? 0);
    const [inserted] = yield* query(
      insertWebhook(tx, {
        id,
        mailboxId: mailbox.id,
        url: href,
        active: true,
        secret: sealed,
        include: [...new Set(include)],
        createdAt,
      }),
    );
    return inserted;
  });
  if (!row) throw mailboxNotFound(mailbox.name);
  return { webhook: row, secret };
}

/** @throws {AppError} `not_found` for the mailbox. */
export async function listWebhooks(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  mailboxName: string,
): Promise<WebhookRow[]> {
  const mailbox = await requireMailbox(context, caller, mailboxName);
  return context.store.query(selectWebhooks, mailbox.id);
}

/** @throws {AppError} `not_found` for the mailbox or the webhook. */
export async function requireWebhookRow(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  mailboxName: string,
  id: string,
): Promise<WebhookRow> {
  return webhookIn(context, await requireMailbox(context, caller, mailboxName), id);
}

async function webhookIn(
  { store }: Pick<Context, 'store'>,
  mailbox: MailboxRow,
  id: string,
): Promise<WebhookRow> {
  const [row] = await store.query(webhookById, mailbox.id, id);
  return row ?? missing(id);
}

/**
 * Changes the URL of a webhook, pauses it or enables it. Pending deliveries go to the new URL. Held
 * deliveries stay held until they are recovered, because they can be out of date.
 * @throws {AppError} `invalid_request` for the URL, `not_found`, `unauthorized`.
 */
export async function changeWebhook(
  context: Context,
  caller: Caller,
  mailboxName: string,
  id: string,
  { url, active }: WebhookChange,
): Promise<WebhookRow> {
  const mailbox = await requireMailbox(context, caller, mailboxName);
  const found = await webhookIn(context, mailbox, id);
  const href = url === undefined ? undefined : parseWebhookUrl(context.config.webhooks, url);
  const now = new Date(context.now());
  const row = await transactionAs(context, caller, function* (tx) {
    const [current] = yield* query(webhookById(tx, found.mailboxId, id));
    if (!current) return undefined;
    const change = { ...urlChange(current, href), ...activeChange(current, active, now) };
    if (Object.keys(change).length === 0) return current;
    const [changed] = yield* query(updateWebhook(tx, found.mailboxId, id, change));
    return changed;
  });
  if (!row) return missing(id);
  if (found.active && !row.active) {
    const event = eventOf('webhook.paused', mailbox, { webhookId: id });
    context.events.publisher.publish(caller.workspace.id, event);
  }
  return row;
}

/**
 * Replaces the signing secret of a webhook. Only this result contains the new secret in plain text.
 * The previous secret also signs for `overlapS` seconds; an earlier one does not.
 * @throws {AppError} `not_found`, `unauthorized`.
 */
export async function rotateSecret(
  context: Pick<Context, 'now' | 'store' | 'secrets'>,
  caller: Caller,
  mailboxName: string,
  id: string,
  overlapS = PREVIOUS_SECRET_TTL_S,
): Promise<WebhookWithSecret> {
  const found = await requireWebhookRow(context, caller, mailboxName, id);
  const { secret, sealed } = newSecret(context.secrets.keyring, id);
  const until = new Date(context.now() + overlapS * 1000);
  const row = await transactionAs(context, caller, function* (tx) {
    const [current] = yield* query(webhookById(tx, found.mailboxId, id));
    if (!current) return undefined;
    const previous =
      overlapS > 0
        ? { previousSecret: current.secret, previousSecretUntil: until }
        : { previousSecret: null, previousSecretUntil: null };
    const [changed] = yield* query(
      updateWebhook(tx, found.mailboxId, id, { secret: sealed, ...previous }),
    );
    return changed;
  });
  return row ? { webhook: row, secret } : missing(id);
}

/**
 * Deletes a webhook. No attempt starts once this has resolved; its deliveries end when they become
 * due.
 * @throws {AppError} `not_found` for the mailbox or the webhook.
 */
export async function deleteWebhook(
  context: Pick<Context, 'now' | 'store'>,
  caller: Caller,
  mailboxName: string,
  id: string,
): Promise<void> {
  const mailbox = await requireMailbox(context, caller, mailboxName);
  const removed = await transactionAs(context, caller, (tx) =>
    query(removeWebhook(tx, mailbox.id, id)),
  );
  if (removed.length === 0) missing(id);
}

/** Each mail causes one request per webhook, so the number of webhooks is limited. */
function requireBelowLimit(limit: number, count: number): void {
  if (limit === 0 || count < limit) return;
  throw new AppError(
    'webhook_limit',
    `Webhook limit reached (${limit} per mailbox). Delete a webhook first.`,
    {
      details: { limit },
    },
  );
}

function missing(id: string): never {
  throw new AppError('not_found', `No such webhook: "${id.slice(0, 64)}".`);
}
