import { Router } from 'express';
import { mailboxAddress } from '../../core/addresses.js';
import type { Context } from '../../core/context.js';
import {
  type CountedMailbox,
  createMailbox,
  deleteMailbox,
  listMailboxes,
} from '../../core/mailboxes/mailboxes.js';
import type { Caller } from '../../core/auth/caller.js';
import { answerOnce } from '../http/idempotency.js';
import type { Shape } from '../contract/shapes.js';

export function mailboxRoutes(context: Context): Router {
  const router = Router();

  router.post<string, object, Shape<'Mailbox'>, Shape<'NewMailbox'> | undefined>(
    '/api/mailboxes',
    async (req, res) => {
      const { caller } = res.locals;
      await answerOnce(context, req, res, async (seed) => {
        const mailbox = await createMailbox(context, caller, req.body?.name, seed);
        return { status: 201, body: present({ ...mailbox, messageCount: 0 }, caller) };
      });
    },
  );

  router.get<string, object, Shape<'Mailbox'>[]>('/api/mailboxes', async (_req, res) => {
    const { caller } = res.locals;
    const mailboxes = await listMailboxes(context, caller.workspace);
    res.json(mailboxes.map((mailbox) => present(mailbox, caller)));
  });

  router.delete('/api/mailboxes/:name', async (req, res) => {
    await deleteMailbox(context, res.locals.caller, req.params.name);
    res.status(204).end();
  });

  return router;
}

function present(mailbox: CountedMailbox, { workspace }: Caller): Shape<'Mailbox'> {
  const { id, name, messageCount, createdAt } = mailbox;
  return {
    id,
    name,
    address: mailboxAddress(name, workspace.domain),
    messageCount,
    createdAt: createdAt.toISOString(),
  };
}
