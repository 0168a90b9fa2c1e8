import { Router } from 'express';
import { requireLiveToken } from '../../core/auth/transaction-as.js';
import type { Context } from '../../core/context.js';
import { decodeCursor } from '../../core/messages/cursor.js';
import { deleteMessage } from '../../core/messages/delete.js';
import { htmlView } from '../../core/messages/html-view.js';
import { findMailbox } from '../../core/mailboxes/mailboxes.js';
import { type MessagePage, listMessages } from '../../core/messages/messages.js';
import { sendMessage } from '../../core/sending/send.js';
import { answerOnce } from '../http/idempotency.js';
import { framePolicy } from './html-csp.js';
import { messageJson, sendJson } from './message-json.js';
import { toDate } from '../http/query.js';
import type { Query, Shape } from '../contract/shapes.js';

const OPENING = Buffer.from('{"messages":[');
const COMMA = Buffer.from(',');

export function messageRoutes(context: Context): Router {
  const router = Router();
  const json = messageJson(context);

  router.get<string, { name: string }, Shape<'MessagePage'>, unknown, Query<'listMessages'>>(
    '/api/mailboxes/:name/messages',
    async (req, res) => {
      const { limit = 20, after, since, view } = req.query;
      const request = {
        limit,
        summary: view === 'summary',
        ...(after === undefined ? {} : { after: decodeCursor(after) }),
        ...(since === undefined ? {} : { since: toDate('since', since) }),
      };
      const mailbox = await findMailbox(context, res.locals.caller.workspace, req.params.name);
      const { rows, ...rest } = await listMessages(context, mailbox, request);
      await sendJson(context, res, pageJson(await json.ofRows(rows, request), rest));
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
      await sendJson(context, res, await json.ofId(mailbox, req.params.id));
    },
  );

  router.get<string, { name: string; id: string }, string, unknown, Query<'showMessageHtml'>>(
    '/api/mailboxes/:name/messages/:id/html',
    async (req, res) => {
      const { caller } = res.locals;
      const mailbox = await findMailbox(context, caller.workspace, req.params.name);
      const { remote = false } = req.query;
      const page = await htmlView(context, mailbox, req.params.id, { remote });
      await requireLiveToken(context, caller);
      res.setHeader('Content-Security-Policy', framePolicy(remote));
      res.type('html').send(page);
    },
  );

  router.delete('/api/mailboxes/:name/messages/:id', async (req, res) => {
    const { name, id } = req.params;
    await deleteMessage(context, res.locals.caller, name, id);
    res.status(204).end();
  });

  return router;
}

/** A `MessagePage` of the contract, from messages that are already JSON. */
function pageJson(messages: Buffer[], rest: Omit<MessagePage, 'rows'>): Buffer {
  const parts = messages.flatMap((message, n) => (n === 0 ? [message] : [COMMA, message]));
  return Buffer.concat([OPENING, ...parts, Buffer.from(`],${JSON.stringify(rest).slice(1)}`)]);
}
