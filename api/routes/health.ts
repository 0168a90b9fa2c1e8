import { Router } from 'express';
import type { Context } from '../../core/context.ts';
import { checkDependencies } from '../../core/instance/readiness.ts';

/** `/healthz`: the process runs. `/readyz`: its dependencies respond. */
export function healthRoutes(context: Context): Router {
  const router = Router();

  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });

  router.get('/readyz', async (_req, res) => {
    const states = await checkDependencies(context);
    const ready = Object.values(states).every((state) => state === 'ok');
    res.status(ready ? 200 : 503).json({ status: ready ? 'ok' : 'unavailable', ...states });
  });

  return router;
}
