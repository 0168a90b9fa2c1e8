/** Request ids, request log and request metrics. */
import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import type { Metrics } from '../../core/metrics/metrics.ts';

/** Paths that load balancers poll every few seconds. */
const HEALTH = new Set(['/healthz', '/readyz']);

const TOKEN = /mf_[0-9A-Za-z]{43}/g;
const MAX_PATH_LENGTH = 200;

/** The route label of requests without a route, or rejected before routing. */
const NO_ROUTE = 'none';

/** Tells clients which version of the contract this is. */
export function setVersionHeader(version: string): RequestHandler {
  return (_req, res, next) => {
    res.setHeader('Mayfly-Version', version);
    next();
  };
}

/** Assigns each request an id, which appears in its response, errors and log lines. */
export const requestId: RequestHandler = (_req, res, next) => {
  res.locals.requestId = newId('request');
  res.setHeader('X-Request-Id', res.locals.requestId);
  next();
};

/**
 * Logs one line per request after its response: `method`, `route` (the template, so no mailbox name
 * is logged) or `path` if no route matched, `status`, `durationMs`, `requestId`, `workspaceId` if
 * the caller is known, and `aborted` if the client disconnected. Query strings, headers and bodies
 * are never logged; links are signed in the query string.
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

/** A router removes its mount path from `req.path`. */
function pathOf({ originalUrl }: Request): string {
  const end = originalUrl.indexOf('?');
  return end < 0 ? originalUrl : originalUrl.slice(0, end);
}

/** Counts and times every request by route template, because paths contain mailbox names. */
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

/** Express types the route as `any`. */
type RoutedRequest = Omit<Request, 'route'> & { route?: { path: unknown } };

/**
 * The template of the route that serves the request, such as `/api/mailboxes/:name`; null if none
 * matched.
 */
function routeOf({ baseUrl, route }: RoutedRequest): string | null {
  return typeof route?.path === 'string' ? `${baseUrl}${route.path}` : null;
}
