import { Router } from 'express';
import type { Context } from '../core/context.js';
import { decodeCursor } from '../core/cursor.js';
import { deleteMessage } from '../core/delete-message.js';
import { findMailbox } from '../core/mailboxes.js';
import { findMessage, listMessages } from '../core/messages.js';
import { type SendRequest, sendMessage } from '../core/send.js';
import { answerOnce } from './idempotency.js';
import { presentMessage } from './present-message.js';
import { toDate } from './query.js';

interface ListQuery {
  limit: number;
  after?: string;
  since?: string;
}

export function messageRoutes(context: Context): Router {
  const router = Router();

  router.get<'/api/mailboxes/:name/messages', { name: string }, unknown, unknown, ListQuery>(
    '/api/mailboxes/:name/messages',
    async (req, res) => {
      const { limit, after, since } = req.query;
      const request = {
        limit,
        ...(after === undefined ? {} : { after: decodeCursor(after) }),
        ...(since === undefined ? {} : { since: toDate('since', since) }),
      };
      const mailbox = await findMailbox(context, res.locals.caller.workspace, req.params.name);
      const page = await listMessages(context, mailbox, request);
      res.json({
        ...page,
        messages: page.messages.map((message) => presentMessage(context, message)),
      });
    },
  );

  router.post<'/api/mailboxes/:name/messages', { name: string }, unknown, SendRequest>(
    '/api/mailboxes/:name/messages',
    async (req, res) => {
      await answerOnce(context, req, res, async (seed) => ({
        status: 201,
        body: await sendMessage(context, res.locals.caller, req.params.name, req.body, seed),
      }));
    },
  );

  router.get('/api/mailboxes/:name/messages/:id', async (req, res) => {
    const mailbox = await findMailbox(context, res.locals.caller.workspace, req.params.name);
    res.json(presentMessage(context, await findMessage(context, mailbox, req.params.id)));
  });

  router.delete('/api/mailboxes/:name/messages/:id', async (req, res) => {
    const { name, id } = req.params;
    await deleteMessage(context, res.locals.caller, name, id);
    res.status(204).end();
  });

  return router;
}
