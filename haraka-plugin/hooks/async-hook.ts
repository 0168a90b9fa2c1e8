import { errorText } from '../../core/errors.ts';
import type { FrontContext } from '../../core/context.ts';
import { writeBatcher } from '../../core/redis/batch-writes.ts';
import { type Verdict, tryLater } from '../replies.ts';

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
