import { Router } from 'express';
import type { Context } from '../core/context.js';
import { type Mailbox, createMailbox, deleteMailbox, listMailboxes } from '../core/mailboxes.js';
import { answerOnce } from './idempotency.js';
import type { Shape } from './shapes.js';

export function mailboxRoutes(context: Context): Router {
  const router = Router();

  router.post<string, object, Shape<'Mailbox'>, Shape<'NewMailbox'> | undefined>(
    '/api/mailboxes',
    async (req, res) => {
      const { caller } = res.locals;
      await answerOnce(context, req, res, async (seed) => ({
        status: 201,
        body: present(await createMailbox(context, caller, req.body?.name, seed)),
      }));
    },
  );

  router.get<string, object, Shape<'Mailbox'>[]>('/api/mailboxes', async (_req, res) => {
    res.json((await listMailboxes(context, res.locals.caller.workspace)).map(present));
  });

  router.delete('/api/mailboxes/:name', async (req, res) => {
    await deleteMailbox(context, res.locals.caller, req.params.name);
    res.status(204).end();
  });

  return router;
}

function present(mailbox: Mailbox): Shape<'Mailbox'> {
  return { ...mailbox, createdAt: mailbox.createdAt.toISOString() };
}
