import { Router } from 'express';
import type { Context } from '../core/context.js';
import { decodeCursor } from '../core/cursor.js';
import { deleteMessage } from '../core/delete-message.js';
import { findMailbox } from '../core/mailboxes.js';
import { findMessage, listMessages } from '../core/messages.js';
import { sendMessage } from '../core/send.js';
import { answerOnce } from './idempotency.js';
import { presentMessage } from './present-message.js';
import { toDate } from './query.js';
import type { Query, Shape } from './shapes.js';

export function messageRoutes(context: Context): Router {
  const router = Router();

  router.get<string, { name: string }, Shape<'MessagePage'>, unknown, Query<'listMessages'>>(
    '/api/mailboxes/:name/messages',
    async (req, res) => {
      const { limit = 20, after, since } = req.query;
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

  router.post<string, { name: string }, Shape<'Sent'>, Shape<'SendRequest'>>(
    '/api/mailboxes/:name/messages',
    async (req, res) => {
      await answerOnce(context, req, res, async (seed) => ({
        status: 201,
        body: await sendMessage(context, res.locals.caller, req.params.name, req.body, seed),
      }));
    },
  );

  router.get<string, { name: string; id: string }, Shape<'Message'>>(
    '/api/mailboxes/:name/messages/:id',
    async (req, res) => {
      const mailbox = await findMailbox(context, res.locals.caller.workspace, req.params.name);
      res.json(presentMessage(context, await findMessage(context, mailbox, req.params.id)));
    },
  );

  router.delete('/api/mailboxes/:name/messages/:id', async (req, res) => {
    const { name, id } = req.params;
    await deleteMessage(context, res.locals.caller, name, id);
    res.status(204).end();
  });

  return router;
}
