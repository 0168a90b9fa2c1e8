/**
 * What the web process serves outside `/api`, apart from the dashboard. A route whose first segment
 * is not listed is not reached, so that `npm run dev`, which passes these on, knows them all.
 */
import type { RequestHandler } from 'express';

export const OUTSIDE_API = [
  ...['admin', 'attachments', 'compat', 'docs', 'healthz', 'llms.txt', 'mcp', 'metrics'],
  ...['openapi.json', 'openapi.yaml', 'readyz'],
];

const listed = new Set(OUTSIDE_API);

/** Leaves the router for a path whose first segment is not in {@link OUTSIDE_API}. */
export const onlyListed: RequestHandler = (req, _res, next) => {
  const [, first = ''] = req.path.split('/', 2);
  // Express matches paths in any case.
  next(listed.has(first.toLowerCase()) ? undefined : 'router');
};
