import { Router } from 'express';
import type { Context } from '../core/context.js';
import { answerOnce } from './idempotency.js';
import { createMailbox, deleteMailbox, listMailboxes } from '../core/mailboxes.js';

export function mailboxRoutes(context: Context): Router {
  const router = Router();

  router.post<'/api/mailboxes', object, unknown, { name?: string } | undefined>(
    '/api/mailboxes',
    async (req, res) => {
      const { caller } = res.locals;
      await answerOnce(context, req, res, async (seed) => ({
        status: 201,
        body: await createMailbox(context, caller, req.body?.name, seed),
      }));
    },
  );

  router.get('/api/mailboxes', async (_req, res) => {
    res.json(await listMailboxes(context, res.locals.caller.workspace));
  });

  router.delete('/api/mailboxes/:name', async (req, res) => {
    await deleteMailbox(context, res.locals.caller, req.params.name);
    res.status(204).end();
  });

  return router;
}
