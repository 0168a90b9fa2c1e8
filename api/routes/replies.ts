import { Router } from 'express';
import type { Context } from '../../core/context.ts';
import { sentMailIds } from '../../core/ids.ts';
import { replyTo } from '../../core/sending/reply.ts';
import type { Shape } from '../contract/contract.ts';
import { readerOf } from '../http/request.ts';
import { respondOnce } from '../http/idempotency.ts';

export function replyRoutes(context: Context): Router {
  const router = Router();

  router.post<string, { name: string; id: string }, Shape<'Sent'>, Shape<'ReplyRequest'>>(
    '/api/mailboxes/:name/messages/:id/reply',
    async (req, res) => {
      const { name: mailboxName, id: messageId } = req.params;
      const place = { mailboxName, messageId, reader: readerOf(req, res) };
      await respondOnce(context, req, res, {
        run: async (seed) => {
          const sent = await replyTo(context, res.locals.caller, place, req.body, seed);
          return { status: 201, body: sent, kept: sent.deliveredTo };
        },
        // The message that is replied to may be gone.
        repeat: (deliveredTo: string[], seed) => ({
          status: 201,
          body: { messageId: sentMailIds(seed).messageId, deliveredTo },
        }),
      });
    },
  );

  return router;
}
