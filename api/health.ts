import { Router } from 'express';
import type { Context } from '../core/context.js';
import { errorText } from '../core/errors.js';

type PartState = 'ok' | 'unavailable';

/** `/healthz`: the process lives. `/readyz`: the parts it needs answer, each named. */
export function healthRoutes(context: Context): Router {
  const router = Router();

  const state = async (part: string, check: Promise<unknown>): Promise<PartState> => {
    try {
      await check;
      return 'ok';
    } catch (error) {
      context.log.warn('not ready', { part, fault: errorText(error) });
      return 'unavailable';
    }
  };

  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });

  router.get('/readyz', async (_req, res) => {
    const [database, redis, blobStore] = await Promise.all([
      state('database', context.store.check()),
      state('redis', context.redis.ping()),
      state('blobStore', context.blobs.check()),
    ]);
    const ready = [database, redis, blobStore].every((part) => part === 'ok');
    res
      .status(ready ? 200 : 503)
      .json({ status: ready ? 'ok' : 'unavailable', database, redis, blobStore });
  });

  return router;
}
