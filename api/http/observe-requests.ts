/** How a request shows in answers, in the log and in the metrics. */
import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../../core/context.js';
import { newId } from '../../core/ids.js';
import type { Metrics } from '../../core/metrics/metrics.js';

/** What load balancers ask for every few seconds. */
const HEALTH = new Set(['/healthz', '/readyz']);

const TOKEN = /mf_[0-9A-Za-z]{43}/g;
const MAX_PATH_LENGTH = 200;

/** The route of requests that have none, and of those refused before theirs is found. */
const NO_ROUTE = 'none';

/** Gives each request an id that its answer, its errors and its log lines carry. */
export const requestId: RequestHandler = (_req, res, next) => {
  res.locals.requestId = newId('request');
  res.setHeader('X-Request-Id', res.locals.requestId);
  next();
};

/**
 * Logs one line for each request when its answer has ended: `method`, `route` (the template, so that no name of a
 * mailbox is logged) or `path` where no route was reached, `status`, `durationMs`, `requestId`, and `workspaceId`
 * once the caller is known; `aborted` when the client went before the end. No line has a query string, since links
 * are signed there, a header, or a body.
 */
export function logRequests({ log, config }: Pick<Context, 'log' | 'config'>): RequestHandler {
  const requests = log.child({ subsystem: 'api' });
  const isOn = config.http.logRequests && log.isInfoEnabled();
  return (req, res, next) => {
    if (isOn && !HEALTH.has(pathOf(req))) {
      const { method } = req;
      const began = performance.now();
      res.once('close', () => {
        const durationMs = Math.round((performance.now() - began) * 10) / 10;
        requests.info('request served', { method, ...factsOf(req, res), durationMs });
      });
    }
    next();
  };
}

function factsOf(req: Request, res: Response) {
  const { requestId } = res.locals;
  const route = routeOf(req);
  const where =
    route === null
      ? { path: pathOf(req).replace(TOKEN, 'mf_...').slice(0, MAX_PATH_LENGTH) }
      : { route };
  const whose = 'caller' in res.locals ? { workspaceId: res.locals.caller.workspace.id } : {};
  const how = res.writableFinished ? {} : { aborted: true };
  return { ...where, status: res.statusCode, requestId, ...whose, ...how };
}

/** A router that answers leaves `req.path` without the part it is mounted at. */
function pathOf({ originalUrl }: Request): string {
  const end = originalUrl.indexOf('?');
  return end < 0 ? originalUrl : originalUrl.slice(0, end);
}

/** Counts and times every request, by its route as the program names it: paths hold names of mailboxes. */
export function measureRequests({ requests, requestSeconds }: Metrics['http']): RequestHandler {
  return (req, res, next) => {
    const { method } = req;
    const began = performance.now();
    res.once('close', () => {
      const route = routeOf(req) ?? NO_ROUTE;
      requests.inc({ method, route, status: res.statusCode });
      const isStream = String(res.getHeader('Content-Type')).startsWith('text/event-stream');
      if (!isStream) requestSeconds.observe({ method, route }, (performance.now() - began) / 1000);
    });
    next();
  };
}

/** Express calls the route `any`. */
type RoutedRequest = Omit<Request, 'route'> & { route?: { path: unknown } };

/** The template of the route that serves the request, such as `/api/mailboxes/:name`; null where none has. */
function routeOf({ baseUrl, route }: RoutedRequest): string | null {
  return typeof route?.path === 'string' ? `${baseUrl}${route.path}` : null;
}
