import { Router } from 'express';
import type { Context } from '../core/context.js';
import { type Webhook, deleteWebhook, listWebhooks, registerWebhook } from '../core/webhooks.js';
import type { Shape } from './shapes.js';

export function webhookRoutes(context: Context): Router {
  const router = Router();

  router.post<string, { name: string }, Shape<'WebhookWithSecret'>, Shape<'NewWebhook'>>(
    '/api/mailboxes/:name/webhooks',
    async (req, res) => {
      const { secret, ...webhook } = await registerWebhook(
        context,
        res.locals.caller,
        req.params.name,
        req.body.url,
      );
      res.status(201).json({ ...present(webhook), secret });
    },
  );

  router.get<string, { name: string }, Shape<'Webhook'>[]>(
    '/api/mailboxes/:name/webhooks',
    async (req, res) => {
      res.json((await listWebhooks(context, res.locals.caller, req.params.name)).map(present));
    },
  );

  router.delete('/api/mailboxes/:name/webhooks/:id', async (req, res) => {
    await deleteWebhook(context, res.locals.caller, req.params.name, req.params.id);
    res.status(204).end();
  });

  return router;
}

function present(webhook: Webhook): Shape<'Webhook'> {
  return { ...webhook, createdAt: webhook.createdAt.toISOString() };
}
