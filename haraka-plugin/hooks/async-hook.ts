import { errorText } from '../../core/errors.js';
import type { FrontContext } from '../../core/context.js';
import type { RedisClient } from '../../core/redis/client.js';
import { type Verdict, tryLater } from '../replies.js';

/**
 * Makes Haraka hooks of asynchronous decisions. Haraka does not handle promises: a rejection would end the
 * process, and a hook that never calls `next` hangs its client. So `next` is called exactly once, and
 * every error is answered with 451. While the connection to Redis is lost the answer is 451 at once.
 */
export function asyncHooks({ redis, log }: Pick<FrontContext, 'redis' | 'log'>) {
  const batchWrites = writeBatcher(redis);
  const fault = (error: unknown): Verdict => {
    log.warn('mail put off with 451', { fault: errorText(error) });
    return tryLater;
  };
  return <Parameters>(
      decide: (connection: Haraka.Connection, parameters: Parameters) => Promise<Verdict>,
    ): Haraka.Hook<Parameters> =>
    (next, connection, parameters) => {
      if (redis.status !== 'ready') {
        next(tryLater.code, tryLater.reply);
        return;
      }
      batchWrites();
      decide(connection, parameters)
        .catch(fault)
        .then((verdict) => {
          next(verdict.code, verdict.reply);
        })
        .catch((error: unknown) => {
          log.error('haraka failed to answer', { error });
          connection.disconnect();
        });
    };
}

/**
 * All commands that hooks issue in one turn of the event loop share one write to Redis: with many
 * clients a system call for each command costs 15 % of the CPU time of a small mail. The turn ends
 * before Node waits for input again, so nothing is delayed.
 */
function writeBatcher(redis: RedisClient): () => void {
  if (!('stream' in redis)) return () => undefined; // a cluster has a connection for each node
  let isCorked = false;
  return () => {
    if (isCorked) return;
    isCorked = true;
    const { stream } = redis;
    stream.cork();
    setImmediate(() => {
      isCorked = false;
      stream.uncork();
    });
  };
}
