/** Bull Board for the operator, below the path it is mounted at. Without a password there is none. */
import { createBullBoard } from '@bull-board/api';
import type { RequestHandler } from 'express';
import { contentSecurityPolicy } from 'helmet';
import type { Context } from '../../core/context.js';
import { AppError, asAppError, errorText } from '../../core/errors.js';
import { jobContracts } from '../../core/job-contracts.js';
import { BoardQueue } from './board-queue.js';
import { BoardServer } from './board-server.js';
import { requireOperator } from '../auth/operator-password.js';
import { onlyOwnChanges } from '../auth/same-origin.js';

/** The board sets styles on its elements and draws with data URLs; it needs nothing else, and nobody outside. */
const policy = contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    baseUri: ["'self'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
});

/** What ioredis says when Redis hangs with its connections open. */
const COMMAND_TIMEOUT = 'Command timed out';

/** What stands between a request to `basePath` and the board, and the board; nothing where there is none. */
export function queueBoard(context: Context, basePath: string): RequestHandler[] {
  const { config, queues } = context;
  if (config.operatorPassword === null) return [];

  const server = new BoardServer(basePath, {
    // Each time: a queue whose first commands failed is replaced, and Redis may have gone meanwhile.
    before: async () => {
      const current = await Promise.all(jobContracts.map((job) => queues.open(job)));
      board.setQueues(current.map((queue) => new BoardQueue(queue)));
    },
    explain: (failure) => explain(context, failure),
  });
  const board = createBullBoard({
    queues: [],
    serverAdapter: server,
    options: { uiConfig: { boardTitle: 'Mayfly', hideDocsLink: true } },
  });
  return [
    policy,
    requireOperator(context, config.operatorPassword),
    onlyOwnChanges(config.http.publicUrl),
    server.handler,
  ];
}

/** What is told of a failure: not what Redis or BullMQ say, which is for the log. */
function explain({ redis }: Pick<Context, 'redis'>, failure: unknown): unknown {
  const known = asAppError(failure);
  if (known) return known;
  if (redis.status !== 'ready' || errorText(failure) === COMMAND_TIMEOUT) {
    return new AppError('unavailable', 'The queues cannot be reached at the moment.', {
      cause: failure,
    });
  }
  if (isRefusal(failure)) {
    return new AppError('unprocessable', 'The job is not in a state for that.', { cause: failure });
  }
  if (failure instanceof URIError) {
    return new AppError('invalid_request', 'The query is malformed.', { cause: failure });
  }
  return failure;
}

/** What BullMQ's scripts refuse carries a negative code: the job has moved on meanwhile, or is gone. */
function isRefusal(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && Number(failure.code) < 0;
}
