import { Router } from 'express';
import type { Context } from '../../core/context.ts';
import { decodeCursor } from '../../core/messages/cursor.ts';
import { parseQuery } from '../../core/search/parse-query.ts';
import type { Searches } from '../../core/search/search.ts';
import { searchMessages } from '../../core/search/search.ts';
import { disconnectSignal } from '../http/request.ts';
import { sendMessages } from './json-items.ts';
import { type MessageJson, inMailboxes } from './message-json.ts';
import type { QueryParameters, Shape } from '../contract/contract.ts';

export function searchRoutes(context: Context, json: MessageJson, searches: Searches): Router {
  const router = Router();

  router.get<
    string,
    Record<string, never>,
    Shape<'SearchPage'>,
    unknown,
    QueryParameters<'searchMessages'>
  >('/api/messages', async (req, res) => {
    const { q = '', limit = 20, after } = req.query;
    const { caller } = res.locals;
    const request = {
      query: parseQuery(q, { now: context.now(), domain: caller.workspace.domain }),
      limit,
      gone: disconnectSignal(req, res),
      ...(after === undefined ? {} : { after: decodeCursor(after) }),
    };
    const { rows, ...rest } = await searchMessages(context, searches, caller, request);
    const summaries = await json.byId({ workspaceId: caller.workspace.id }, rows, {
      summary: true,
    });
    await sendMessages(context, res, inMailboxes(rows, summaries), rest);
  });

  return router;
}
