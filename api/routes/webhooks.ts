import { Router } from 'express';
import type { Context } from '../../core/context.ts';
import {
  type WebhookRow,
  type WebhookWithSecret,
  changeWebhook,
  deleteWebhook,
  listWebhooks,
  registerWebhook,
  rotateSecret,
} from '../../core/webhooks/webhooks.ts';
import { isPayloadPart } from '../../core/webhooks/payload.ts';
import type { Shape } from '../contract/contract.ts';

export function webhookRoutes(context: Context): Router {
  const router = Router();

  router.post<string, { name: string }, Shape<'WebhookWithSecret'>, Shape<'NewWebhook'>>(
    '/api/mailboxes/:name/webhooks',
    async (req, res) => {
      const { caller } = res.locals;
      const { url, include } = req.body;
      const made = await registerWebhook(context, caller, req.params.name, url, include);
      res.status(201).json(withSecret(made));
    },
  );

  router.get<string, { name: string }, Shape<'Webhook'>[]>(
    '/api/mailboxes/:name/webhooks',
    async (req, res) => {
      const webhooks = await listWebhooks(context, res.locals.caller, req.params.name);
      res.json(webhooks.map(present));
    },
  );

  router.patch<string, { name: string; id: string }, Shape<'Webhook'>, Shape<'WebhookChange'>>(
    '/api/mailboxes/:name/webhooks/:id',
    async (req, res) => {
      const { name, id } = req.params;
      res.json(present(await changeWebhook(context, res.locals.caller, name, id, req.body)));
    },
  );

  router.delete('/api/mailboxes/:name/webhooks/:id', async (req, res) => {
    await deleteWebhook(context, res.locals.caller, req.params.name, req.params.id);
    res.status(204).end();
  });

  router.post<
    string,
    { name: string; id: string },
    Shape<'WebhookWithSecret'>,
    Shape<'Rotation'> | undefined
  >('/api/mailboxes/:name/webhooks/:id/rotate-secret', async (req, res) => {
    const { name, id } = req.params;
    const overlapS = req.body?.expiresIn;
    res.json(withSecret(await rotateSecret(context, res.locals.caller, name, id, overlapS)));
  });

  return router;
}

/** Lists each field, because the row also contains secrets. */
function present(row: WebhookRow): Shape<'Webhook'> {
  const { id, mailboxId, url, active, pausedReason } = row;
  return {
    ...{ id, mailboxId, url, active, pausedReason },
    createdAt: row.createdAt.toISOString(),
    pausedAt: toText(row.pausedAt),
    failingSince: toText(row.failingSince),
    lastSuccessAt: toText(row.lastSuccessAt),
    include: row.include?.filter(isPayloadPart) ?? [],
  };
}

function withSecret({ webhook, secret }: WebhookWithSecret): Shape<'WebhookWithSecret'> {
  return { ...present(webhook), secret };
}

function toText(time: Date | null): string | null {
  return time && time.toISOString();
}
