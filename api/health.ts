import { Router } from 'express';
import type { Context } from '../core/context.js';
import { checkParts } from '../core/parts.js';

/** `/healthz`: the process lives. `/readyz`: the parts it needs answer, each named. */
export function healthRoutes(context: Context): Router {
  const router = Router();

  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });

  router.get('/readyz', async (_req, res) => {
    const parts = await checkParts(context);
    const ready = Object.values(parts).every((part) => part === 'ok');
    res.status(ready ? 200 : 503).json({ status: ready ? 'ok' : 'unavailable', ...parts });
  });

  return router;
}
