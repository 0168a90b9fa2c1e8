/** Bull Board's own server for Express, cut down to what an operator of Mayfly may do, in our manners. */
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardRequest,
} from '@bull-board/api/typings/app';
import { ExpressAdapter } from '@bull-board/express';
import type { RequestHandler } from 'express';
import { AppError } from '../../core/errors.js';
import { noSuchRoute } from '../http/errors.js';

/** What the board may be asked. Whatever a later version brings is refused until it stands here. */
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

/** What it may be told, of queues that are not read-only: to do soon what would be done anyway. */
const CHANGES = new Set([
  'put /api/queues/:queueName/retry/:queueStatus',
  'put /api/queues/:queueName/promote',
  'put /api/queues/:queueName/:jobId/retry',
  'put /api/queues/:queueName/:jobId/promote',
]);

/** Each job may carry the addresses of a thousand recipients. */
const JOBS_PER_PAGE = 100;

export interface BoardHooks {
  /** Called before each question to the queues. */
  before: () => Promise<void>;
  /** What to tell of a failure. */
  explain: (failure: unknown) => unknown;
}

export class BoardServer extends ExpressAdapter {
  constructor(
    basePath: string,
    private readonly hooks: BoardHooks,
  ) {
    super();
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

  /** Failures are answered where those of all other routes are. */
  override setErrorHandler(): this {
    return super.setErrorHandler((error) => {
      throw error;
    });
  }

  /** The page names a style sheet at Google; nothing may be asked of anybody outside. */
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
      if (!request) throw new Error('the board asked nothing');
      try {
        await this.hooks.before();
        if (!READS.has(name)) requireChangeable(name, request);
        return await route.handler(inPages(request));
      } catch (failure) {
        throw this.hooks.explain(failure);
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
