import {
  type WebhookRow,
  countWebhooks,
  insertWebhook,
  listWebhooks as selectWebhooks,
  removeWebhook,
  updateWebhook,
  webhookById,
} from '../db/webhooks.js';
import { liveMailboxIds } from '../db/mailboxes.js';
import { step } from '../db/store.js';
import { changeAs } from './change-as.js';
import type { Context } from './context.js';
import { AppError } from './errors.js';
import { newId } from './ids.js';
import { findMailbox } from './mailboxes.js';
import { switched, movedTo } from './pause-rule.js';
import type { Caller } from './tokens.js';
import { newSecret } from './webhook-secrets.js';
import { parseWebhookUrl } from './webhook-url.js';

/** A webhook as the interface shows it, and why it gets nothing where that is so. */
export type Webhook = Pick<
  WebhookRow,
  | 'id'
  | 'mailboxId'
  | 'url'
  | 'active'
  | 'createdAt'
  | 'pausedReason'
  | 'pausedAt'
  | 'failingSince'
  | 'lastSuccessAt'
>;

export interface WebhookChange {
  url?: string;
  active?: boolean;
}

/** How long, in seconds, a replaced secret still signs when nothing else is asked for. */
export const DEFAULT_OVERLAP_S = 24 * 3600;

/**
 * Registers a webhook on a mailbox; its signing secret is in this result and nowhere else in clear.
 * @throws {AppError} `invalid_request` for the URL, `not_found` for the mailbox, `webhook_limit`,
 * `unauthorized`.
 */
export async function registerWebhook(
  context: Context,
  caller: Caller,
  mailboxName: string,
  url: string,
): Promise<Webhook & { secret: string }> {
  const mailbox = await findMailbox(context, caller.workspace, mailboxName);
  const href = parseWebhookUrl(context.config.webhooks, url);
  const createdAt = new Date(context.now());
  const id = newId('webhook', createdAt.getTime());
  const { secret, sealed } = newSecret(context.keyring, id);
  const row = await changeAs(context, caller, function* (tx) {
    const live = yield* step(liveMailboxIds(tx, [mailbox.id]));
    if (live.length === 0) return undefined; // deleted since it was found
    const [there] = yield* step(countWebhooks(tx, mailbox.id));
    requireRoom(context.config.webhooks.perMailbox, there?.count ?? 0);
    const [inserted] = yield* step(
      insertWebhook(tx, {
        id,
        mailboxId: mailbox.id,
        url: href,
        active: true,
        secret: sealed,
        createdAt,
      }),
    );
    return inserted;
  });
  if (!row) throw new AppError('not_found', 'The mailbox has just been deleted.');
  return { ...present(row), secret };
}

/** @throws {AppError} `not_found` for the mailbox. */
export async function listWebhooks(
  context: Context,
  caller: Caller,
  mailboxName: string,
): Promise<Webhook[]> {
  const mailbox = await findMailbox(context, caller.workspace, mailboxName);
  return (await context.store.ask(selectWebhooks, mailbox.id)).map(present);
}

/** @throws {AppError} `not_found` for the mailbox or the webhook. */
export async function findWebhook(
  context: Context,
  caller: Caller,
  mailboxName: string,
  id: string,
): Promise<WebhookRow> {
  const mailbox = await findMailbox(context, caller.workspace, mailboxName);
  const [row] = await context.store.ask(webhookById, mailbox.id, id);
  return row ?? missing(id);
}

/**
 * Changes where a webhook leads, pauses it or enables it again. What waits goes to the new URL; what was
 * held meanwhile stays held until it is asked for, since it may be long out of date.
 * @throws {AppError} `invalid_request` for the URL, `not_found`, `unauthorized`.
 */
export async function changeWebhook(
  context: Context,
  caller: Caller,
  mailboxName: string,
  id: string,
  { url, active }: WebhookChange,
): Promise<Webhook> {
  const found = await findWebhook(context, caller, mailboxName, id);
  const href = url === undefined ? undefined : parseWebhookUrl(context.config.webhooks, url);
  const now = new Date(context.now());
  const row = await changeAs(context, caller, function* (tx) {
    const [current] = yield* step(webhookById(tx, found.mailboxId, id));
    if (!current) return undefined;
    const change = { ...movedTo(current, href), ...switched(current, active, now) };
    if (Object.keys(change).length === 0) return current;
    const [changed] = yield* step(updateWebhook(tx, found.mailboxId, id, change));
    return changed;
  });
  if (!row) return missing(id);
  if (found.active && !row.active) {
    context.events.publish(caller.workspace.id, {
      type: 'webhook.paused',
      mailbox: mailboxName.toLowerCase(),
      mailboxId: row.mailboxId,
      webhookId: id,
    });
  }
  return present(row);
}

/**
 * Gives a webhook a new signing secret, which is in this result and nowhere else in clear. The one before
 * signs too for `overlapS` seconds more; of those before that none does.
 * @throws {AppError} `not_found`, `unauthorized`.
 */
export async function rotateSecret(
  context: Context,
  caller: Caller,
  mailboxName: string,
  id: string,
  overlapS = DEFAULT_OVERLAP_S,
): Promise<Webhook & { secret: string }> {
  const found = await findWebhook(context, caller, mailboxName, id);
  const { secret, sealed } = newSecret(context.keyring, id);
  const until = new Date(context.now() + overlapS * 1000);
  const row = await changeAs(context, caller, function* (tx) {
    const [current] = yield* step(webhookById(tx, found.mailboxId, id));
    if (!current) return undefined;
    const previous =
      overlapS > 0
        ? { previousSecret: current.secret, previousSecretUntil: until }
        : { previousSecret: null, previousSecretUntil: null };
    const [changed] = yield* step(
      updateWebhook(tx, found.mailboxId, id, { secret: sealed, ...previous }),
    );
    return changed;
  });
  return row ? { ...present(row), secret } : missing(id);
}

/**
 * Deletes a webhook: no attempt begins once this has resolved. Its deliveries end as they come due.
 * @throws {AppError} `not_found` for the mailbox or the webhook.
 */
export async function deleteWebhook(
  context: Context,
  caller: Caller,
  mailboxName: string,
  id: string,
): Promise<void> {
  const mailbox = await findMailbox(context, caller.workspace, mailboxName);
  const removed = await changeAs(context, caller, (tx) => step(removeWebhook(tx, mailbox.id, id)));
  if (removed.length === 0) missing(id);
}

/** Each webhook is a call for each mail: one mail must not become any number of them. */
function requireRoom(limit: number, count: number): void {
  if (limit === 0 || count < limit) return;
  throw new AppError(
    'webhook_limit',
    `A mailbox may have ${limit} webhooks, and this one has them.`,
    {
      details: { limit },
    },
  );
}

function present(row: WebhookRow): Webhook {
  const { id, mailboxId, url, active, createdAt } = row;
  const { pausedReason, pausedAt, failingSince, lastSuccessAt } = row;
  const record = { pausedReason, pausedAt, failingSince, lastSuccessAt };
  return { id, mailboxId, url, active, createdAt, ...record };
}

function missing(id: string): never {
  throw new AppError('not_found', `There is no webhook "${id.slice(0, 64)}" on this mailbox.`);
}
