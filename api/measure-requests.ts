import type { Request, RequestHandler } from 'express';
import type { Metrics } from '../core/metrics.js';

/** What was asked for by a path that no route has, and what was refused before its route was looked for. */
const NO_ROUTE = 'none';

/** Express calls the route `any`. */
type RoutedRequest = Omit<Request, 'route'> & { route?: { path: unknown } };

/** Counts and times every request, by its route as the program names it: paths hold names of mailboxes. */
export function measureRequests({ requests, requestSeconds }: Metrics['http']): RequestHandler {
  return (req, res, next) => {
    const { method } = req;
    const began = performance.now();
    res.once('close', () => {
      const route = routeOf(req);
      requests.inc({ method, route, status: res.statusCode });
      const isStream = String(res.getHeader('Content-Type')).startsWith('text/event-stream');
      if (!isStream) requestSeconds.observe({ method, route }, (performance.now() - began) / 1000);
    });
    next();
  };
}

function routeOf({ baseUrl, route }: RoutedRequest): string {
  return typeof route?.path === 'string' ? `${baseUrl}${route.path}` : NO_ROUTE;
}
