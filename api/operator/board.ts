/** Bull Board over the queues. */
import { createBullBoard } from '@bull-board/api';
import type { RequestHandler } from 'express';
import type { Context } from '../../core/context.ts';
import { AppError, asAppError } from '../../core/errors.ts';
import { jobContracts } from '../../core/job-contracts.ts';
import { isRedisUnavailable } from '../../core/redis/client.ts';
import { BoardQueue } from './board-queue.ts';
import { BoardServer } from './board-server.ts';

export function openBoard(context: Context, basePath: string): RequestHandler {
  const { queues } = context;
  const server = new BoardServer(basePath, {
    // Runs for each request: a queue whose first commands failed is replaced, and Redis can have
    // become unavailable.
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
  return server.handler;
}

/** The error for the client. The texts of Redis and BullMQ go to the log only. */
function explain({ redis }: Pick<Context, 'redis'>, failure: unknown): unknown {
  const known = asAppError(failure);
  if (known) return known;
  if (redis.status !== 'ready' || isRedisUnavailable(failure)) {
    return new AppError(
      'unavailable',
      'The queues are temporarily unavailable. Retry in a few seconds.',
      {
        cause: failure,
      },
    );
  }
  if (isRefusal(failure)) {
    return new AppError(
      'unprocessable',
      'The state of the job does not allow this. Reload the page.',
      { cause: failure },
    );
  }
  if (failure instanceof URIError) {
    return new AppError(
      'invalid_request',
      'The query string is malformed. Check its percent-encoding.',
      { cause: failure },
    );
  }
  return failure;
}

/**
 * Rejections of BullMQ's scripts have a negative code: the job changed its state or was removed.
 */
function isRefusal(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && Number(failure.code) < 0;
}
