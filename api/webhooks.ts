import { Router } from 'express';
import type { Context } from '../core/context.js';
import { deleteWebhook, listWebhooks, registerWebhook } from '../core/webhooks.js';

export function webhookRoutes(context: Context): Router {
  const router = Router();

  router.post<'/api/mailboxes/:name/webhooks', { name: string }, unknown, { url: string }>(
    '/api/mailboxes/:name/webhooks',
    async (req, res) => {
      res
        .status(201)
        .json(await registerWebhook(context, res.locals.caller, req.params.name, req.body.url));
    },
  );

  router.get('/api/mailboxes/:name/webhooks', async (req, res) => {
    res.json(await listWebhooks(context, res.locals.caller, req.params.name));
  });

  router.delete('/api/mailboxes/:name/webhooks/:id', async (req, res) => {
    await deleteWebhook(context, res.locals.caller, req.params.name, req.params.id);
    res.status(204).end();
  });

  return router;
}
