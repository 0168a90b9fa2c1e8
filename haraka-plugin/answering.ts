import { errorText } from '../core/errors.js';
import type { FrontContext } from '../core/context.js';
import { coalesceWrites } from './coalesce.js';
import { type Verdict, tryLater } from './replies.js';

/**
 * Makes Haraka hooks of asynchronous decisions. Haraka knows no promises: a rejection would end the
 * process, and a hook that never calls `next` hangs its client. So `next` is called exactly once, and
 * whatever goes wrong is answered with 451. While Redis is away it is answered at once.
 */
export function answeringWith({ redis, log }: Pick<FrontContext, 'redis' | 'log'>) {
  const coalesce = coalesceWrites(redis);
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
      coalesce();
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
