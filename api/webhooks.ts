import { Router } from 'express';
import type { Context } from '../core/context.js';
import {
  type Webhook,
  changeWebhook,
  deleteWebhook,
  listWebhooks,
  registerWebhook,
  rotateSecret,
} from '../core/webhooks.js';
import type { Shape } from './shapes.js';

export function webhookRoutes(context: Context): Router {
  const router = Router();

  router.post<string, { name: string }, Shape<'WebhookWithSecret'>, Shape<'NewWebhook'>>(
    '/api/mailboxes/:name/webhooks',
    async (req, res) => {
      const { caller } = res.locals;
      res
        .status(201)
        .json(present(await registerWebhook(context, caller, req.params.name, req.body.url)));
    },
  );

  router.get<string, { name: string }, Shape<'Webhook'>[]>(
    '/api/mailboxes/:name/webhooks',
    async (req, res) => {
      const webhooks = await listWebhooks(context, res.locals.caller, req.params.name);
      res.json(webhooks.map((webhook) => present(webhook)));
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
    res.json(present(await rotateSecret(context, res.locals.caller, name, id, overlapS)));
  });

  return router;
}

function present<Shown extends Webhook>(webhook: Shown) {
  const { createdAt, pausedAt, failingSince, lastSuccessAt } = webhook;
  return {
    ...webhook,
    createdAt: createdAt.toISOString(),
    pausedAt: toText(pausedAt),
    failingSince: toText(failingSince),
    lastSuccessAt: toText(lastSuccessAt),
  };
}

function toText(time: Date | null): string | null {
  return time && time.toISOString();
}
