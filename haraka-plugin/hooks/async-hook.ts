import { errorText } from '../../core/errors.js';
import type { FrontContext } from '../../core/context.js';
import type { RedisClient } from '../../core/redis/client.js';
import { type Verdict, tryLater } from '../replies.js';

/**
 * Turns asynchronous functions into Haraka hooks. Haraka does not handle promises: a rejection
 * would end the process, and a hook that does not call `next` blocks its client. The wrapper
 * therefore calls `next` exactly once and replies to every error with 451. While the connection to
 * Redis is lost, it replies with 451 at once.
 */
export function asyncHooks({ redis, log }: Pick<FrontContext, 'redis' | 'log'>) {
  const batchWrites = writeBatcher(redis);
  const fault = (error: unknown): Verdict => {
    log.warn('SMTP 451: backend unavailable', { fault: errorText(error) });
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
          log.error('Haraka failed to send the reply', { error });
          connection.disconnect();
        });
    };
}

/**
 * Batches all Redis commands that hooks issue in one turn of the event loop into one write. With
 * many clients, one system call per command costs 15 % of the CPU time of a small mail. The batch
 * is written before Node waits for input again, so it adds no delay.
 */
function writeBatcher(redis: RedisClient): () => void {
  if (!('stream' in redis)) return () => undefined; // a cluster client has one connection per node
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
