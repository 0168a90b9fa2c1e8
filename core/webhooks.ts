import { randomBytes } from 'node:crypto';
import {
  type WebhookRow,
  insertWebhook,
  listWebhooks as selectWebhooks,
  removeWebhook,
} from '../db/webhooks.js';
import { liveMailboxIds } from '../db/mailboxes.js';
import { step } from '../db/store.js';
import { changeAs } from './change-as.js';
import type { Context } from './context.js';
import { AppError } from './errors.js';
import { newId } from './ids.js';
import { findMailbox } from './mailboxes.js';
import { sealSecret } from './secrets.js';
import type { Caller } from './tokens.js';
import { parseWebhookUrl } from './webhook-url.js';

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** A webhook as the interface shows it. */
export interface Webhook {
  id: string;
  mailboxId: string;
  url: string;
  active: boolean;
  createdAt: Date;
}

/**
 * Registers a webhook on a mailbox; its signing secret is in this result and nowhere else in clear.
 * @throws {AppError} `invalid_request` for the URL, `not_found` for the mailbox, `unauthorized`.
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
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  const sealed = sealSecret(context.keyring, id, secret);
  const row = await changeAs(context, caller, function* (tx) {
    const live = yield* step(liveMailboxIds(tx, [mailbox.id]));
    if (live.length === 0) return undefined; // deleted since it was found
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
  return (await selectWebhooks(context.store.db, mailbox.id)).map(present);
}

/** @throws {AppError} `not_found` for the mailbox or the webhook. */
export async function deleteWebhook(
  context: Context,
  caller: Caller,
  mailboxName: string,
  id: string,
): Promise<void> {
  const mailbox = await findMailbox(context, caller.workspace, mailboxName);
  const removed = await changeAs(context, caller, (tx) => step(removeWebhook(tx, mailbox.id, id)));
  if (removed.length === 0) {
    throw new AppError('not_found', `There is no webhook "${id.slice(0, 64)}" on this mailbox.`);
  }
}

function present({ id, mailboxId, url, active, createdAt }: WebhookRow): Webhook {
  return { id, mailboxId, url, active, createdAt };
}
