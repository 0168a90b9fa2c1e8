/** The queues page for the operator, below its mount path. Not available without a password. */
import type { RequestHandler } from 'express';
import { contentSecurityPolicy } from 'helmet';
import type { Context } from '../../core/context.ts';
import { requireOperator } from '../auth/operator-password.ts';
import { isSameOrigin } from '../http/origin.ts';
import { AppError } from '../../core/errors.ts';
import { loadOnce } from '../../core/share-runs.ts';

/** The board uses inline styles and data URLs, and no other or external resources. */
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

/** The handlers for the board at `basePath`; empty if it is not available. */
export function queueBoard(context: Context, basePath: string): RequestHandler[] {
  const { config } = context;
  if (config.operatorPassword === null) return [];

  // Loaded by the first request: Bull Board takes several MB, and few operators open it.
  const loaded = loadOnce(async () => (await import('./board.ts')).openBoard(context, basePath));
  return [
    policy,
    requireOperator(context, config.operatorPassword),
    onlyOwnChanges(config.http.publicUrl),
    async (req, res, next) => {
      const board = await loaded.get();
      await board(req, res, next);
    },
  ];
}

/** Rejects changes by pages of other origins. */
function onlyOwnChanges(publicUrl: string): RequestHandler {
  return (req, _res, next) => {
    // HEAD has become GET at this point.
    if (req.method !== 'GET' && !isSameOrigin(req, publicUrl)) {
      throw new AppError(
        'forbidden',
        'Cross-origin requests must not change data. Use the pages of this service.',
      );
    }
    next();
  };
}
