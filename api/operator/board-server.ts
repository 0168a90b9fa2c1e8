/**
 * Bull Board's Express server, restricted to what an operator may do, with Mayfly's error handling.
 */
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardRequest,
} from '@bull-board/api/typings/app';
import { ExpressAdapter } from '@bull-board/express';
import type { RequestHandler } from 'express';
import { AppError } from '../../core/errors.ts';
import { noSuchRoute } from '../http/errors.ts';

/** Allowed read routes. New routes of later versions are rejected until they are listed. */
const READS = new Set([
  'get /api/redis/stats',
  'get /api/queues',
  'get /api/job-schedulers',
  'get /api/queues/:queueName/metrics',
  'get /api/queues/:queueName/default-job-options',
  'get /api/queues/:queueName/workers',
  'get /api/queues/:queueName/rate-limit',
  'get /api/queues/:queueName/job-data-schema',
  'get /api/queues/:queueName/:jobId',
  'get /api/queues/:queueName/:jobId/logs',
  'get /api/queues/:queueName/:jobId/flow',
]);

/** Allowed changes on queues that are not read-only: they only run a job earlier. */
const CHANGES = new Set([
  'put /api/queues/:queueName/retry/:queueStatus',
  'put /api/queues/:queueName/promote',
  'put /api/queues/:queueName/:jobId/retry',
  'put /api/queues/:queueName/:jobId/promote',
]);

/** A job can contain the addresses of a thousand recipients. */
const JOBS_PER_PAGE = 100;

export interface BoardHooks {
  /** Called before each access to the queues. */
  before: () => Promise<void>;
  /** Converts a failure for the response. */
  explain: (failure: unknown) => unknown;
}

export class BoardServer extends ExpressAdapter {
  readonly #hooks: BoardHooks;

  constructor(basePath: string, hooks: BoardHooks) {
    super();
    this.#hooks = hooks;
    this.setBasePath(basePath);
    this.app.disable('x-powered-by').disable('etag');
  }

  get handler(): RequestHandler {
    return this.app;
  }

  override setApiRoutes(routes: AppControllerRoute[]): this {
    super.setApiRoutes(routes.map((route) => ({ ...route, handler: this.guarded(route) })));
    this.app.use(noSuchRoute);
    return this;
  }

  /** Failures go to the error handler of the application. */
  override setErrorHandler(): this {
    return super.setErrorHandler((error) => {
      throw error;
    });
  }

  /** The page refers to a style sheet at Google; external resources are not allowed. */
  override setEntryRoute(view: AppViewRoute): this {
    this.app.get(view.route, (_req, res, next) => {
      const { name, params } = view.handler({ basePath: this.basePath, uiConfig: this.uiConfig });
      res.render(name, params, (error: Error | null, html) => {
        if (error) next(error);
        else res.type('html').send(html.replace(/<link [^>]*href="https?:[^>]*>/g, ''));
      });
    });
    return this;
  }

  private guarded(route: AppControllerRoute): AppControllerRoute['handler'] {
    const name = `${String(route.method)} ${String(route.route)}`;
    return async (request) => {
      if (!request) throw new Error('the board handler was called without a request');
      try {
        await this.#hooks.before();
        if (!READS.has(name)) requireChangeable(name, request);
        return await route.handler(inPages(request));
      } catch (failure) {
        throw this.#hooks.explain(failure);
      }
    };
  }
}

function requireChangeable(name: string, { queues, params }: BullBoardRequest): void {
  const queue = queues.get(String(params.queueName));
  if (CHANGES.has(name) && !queue?.readOnlyMode) return;
  throw new AppError(
    'forbidden',
    'Only ingest jobs can be retried or promoted. Everything else is read-only.',
  );
}

function inPages(request: BullBoardRequest): BullBoardRequest {
  const { jobsPerPage } = request.query;
  if (!(Number(jobsPerPage) > JOBS_PER_PAGE)) return request;
  return { ...request, query: { ...request.query, jobsPerPage: `${JOBS_PER_PAGE}` } };
}
