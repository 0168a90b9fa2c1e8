import { type Request, type Response, Router } from 'express';
import type { Context } from '../../core/context.ts';
import { AppError, asAppError } from '../../core/errors.ts';
import { countOpenRequests } from '../../core/limits/open-requests.ts';
import { type MailboxRow, requireMailbox } from '../../core/mailboxes/mailboxes.ts';
import { currentMark, placeOf, readMark } from '../../core/messages/mark.ts';
import { openExtractions } from '../../core/messages/extractions.ts';
import { openArrivals } from '../../core/waits/arrivals.ts';
import { compileCriteria } from '../../core/matching/criteria.ts';
import { openDocuments } from '../../core/matching/documents.ts';
import { openSlices } from '../../core/matching/slices.ts';
import { openFeeds } from '../../core/waits/feeds.ts';
import { openQueuedMail } from '../../core/waits/settled.ts';
import { type WaitServices, waitForMessages } from '../../core/waits/wait.ts';
import { readSince } from '../http/query.ts';
import { disconnectSignal, readerOf } from '../http/request.ts';
import { renewRateLimit } from '../auth/rate-limit.ts';
import { renderExtracted, type MessageJson } from './message-json.ts';
import { sendMessages } from './json-items.ts';
import type { QueryParameters, Shape } from '../contract/contract.ts';

type WaitRequest = Pick<Request, 'socket'> & { query: QueryParameters<'waitForMessages'> };

/** What the waiting requests of a process share. */
export function waitParts(context: Context): WaitServices {
  const extractions = openExtractions(context, renderExtracted);
  const arrivals = openArrivals(context);
  const documents = openDocuments(context, extractions);
  const slices = openSlices();
  const { waitsPerWorkspace } = context.config.http;
  return {
    ...{ arrivals, documents, slices, extractions },
    feeds: openFeeds(context, { arrivals, documents, slices }),
    openWaits: countOpenRequests(
      waitsPerWorkspace,
      context.metrics.http.waits,
      () =>
        new AppError(
          'wait_limit',
          `Limit of waiting requests reached (${waitsPerWorkspace} per workspace and web process). Retry in 1 s.`,
        ),
    ),
    queuedMail: openQueuedMail(context),
  };
}

export function waitRoutes(context: Context, json: MessageJson, parts: WaitServices): Router {
  const router = Router();

  const answer = async (req: WaitRequest, res: Response, mailbox: MailboxRow | null) => {
    const {
      mark,
      since,
      count = 1,
      order = 'oldest',
      timeout = 25,
      view,
      extract = false,
      ...criteria
    } = req.query;
    const { caller } = res.locals;
    const place = mailbox ?? placeOf(caller.workspace);
    const request = {
      criteria: compileCriteria(criteria),
      count,
      order,
      timeout,
      ...(mark === undefined ? {} : { after: await readMark(context, place, mark) }),
      ...(since === undefined ? {} : { since: readSince(since) }),
    };
    if (res.locals.headOnly) {
      res.end();
      return;
    }
    const gone = disconnectSignal(req, res);
    const summary = view === 'summary';
    const result = await waitForMessages(
      context,
      parts,
      { caller, mailbox, gone },
      request,
      (rows) => json.ofRows(readerOf(req, res), rows, { summary, extract }),
    ).catch(retryAtOnce(res));
    if (!result) return;
    const { messages, ...rest } = result;
    await renewRateLimit(context, res, result.waitedMs);
    await sendMessages(context, res, messages, rest);
  };

  router.get<
    string,
    { name: string },
    Shape<'WaitResult'>,
    unknown,
    QueryParameters<'waitForMessages'>
  >('/api/mailboxes/:name/messages/wait', async (req, res) => {
    await answer(req, res, await requireMailbox(context, res.locals.caller, req.params.name));
  });

  router.get<
    string,
    Record<string, never>,
    Shape<'WaitResult'>,
    unknown,
    QueryParameters<'waitInWorkspace'>
  >('/api/messages/wait', async (req, res) => {
    await answer(req, res, null);
  });

  router.get<string, Record<string, never>, Shape<'Mark'>>(
    '/api/messages/mark',
    async (_req, res) => {
      const { workspace } = res.locals.caller;
      res.json({ mark: await currentMark(context, placeOf(workspace)) });
    },
  );

  return router;
}

/** Sets the delay of refusals that end within a second: too many waits, or a process that stops. */
export function retryAtOnce(res: Response) {
  return (error: unknown): never => {
    const status = asAppError(error)?.status ?? 500;
    if (status === 429 || status === 503) res.setHeader('Retry-After', 1);
    throw error;
  };
}
