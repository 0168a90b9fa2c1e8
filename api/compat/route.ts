/**
 * Reading calls of other mail catchers, so that their clients work unchanged. Outside
 * `openapi.yaml`, which describes Mayfly's own interface.
 */
import { type RequestHandler, Router } from 'express';
import type { Context } from '../../core/context.ts';
import type { Searches } from '../../core/search/search.ts';
import { refuseRevoked } from '../auth/authenticate.ts';
import { limitRate } from '../auth/rate-limit.ts';
import { authenticateBasic, authorizeDeletion } from './authenticate.ts';
import { mailhogRoutes } from './mailhog.ts';
import { mailpitProbes, mailpitRoutes } from './mailpit.ts';

interface CompatParts {
  searches: Searches;
  /** Reads a JSON body, also of DELETE. */
  readBody: RequestHandler;
  /** Of Mayfly. */
  version: string;
}

export function compatRoutes(
  context: Context,
  { searches, readBody, version }: CompatParts,
): Router {
  const router = Router();
  router.use('/mailpit', singleSlash, mailpitProbes(context));
  router.use(authenticateBasic(context), limitRate(context), refuseRevoked(context));
  router.use(authorizeDeletion, readBody);
  router.use('/mailpit', singleSlash, mailpitRoutes(context, searches, version));
  router.use('/mailhog', singleSlash, mailhogRoutes(context, searches));
  return router;
}

/** Clients put paths that begin with a slash behind a base URL that ends with one. */
const singleSlash: RequestHandler = (req, _res, next) => {
  req.url = req.url.replace(/^\/+/, '/');
  next();
};
