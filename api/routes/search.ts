import { Router } from 'express';
import type { Context } from '../../core/context.js';
import { decodeCursor } from '../../core/messages/cursor.js';
import { parseQuery } from '../../core/search/parse-query.js';
import { searchMessages } from '../../core/search/search.js';
import { type MessageJson, inMailboxes, sendJson, withMessages } from './message-json.js';
import type { Query, Shape } from '../contract/shapes.js';

export function searchRoutes(context: Context, json: MessageJson): Router {
  const router = Router();

  router.get<string, Record<string, never>, Shape<'SearchPage'>, unknown, Query<'searchMessages'>>(
    '/api/messages',
    async (req, res) => {
      const { q = '', limit = 20, after } = req.query;
      const { rows, ...rest } = await searchMessages(context, res.locals.caller, {
        query: parseQuery(q, context.now()),
        limit,
        ...(after === undefined ? {} : { after: decodeCursor(after) }),
      });
      const summaries = await json.byId(rows, { summary: true });
      await sendJson(context, res, withMessages(inMailboxes(rows, summaries), rest));
    },
  );

  return router;
}
