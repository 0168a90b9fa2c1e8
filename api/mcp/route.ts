/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions, so any web
 * process answers any request.
 */
import { type RequestHandler, Router } from 'express';
import type { Context } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import type { SearchQueue } from '../../core/search/search-queue.ts';
import type { WaitParts } from '../../core/waits/wait.ts';
import { authenticate, refuseRevoked, requireToken } from '../auth/authenticate.ts';
import { limitRate } from '../auth/rate-limit.ts';
import { type bodyReaders, nothingIsJson, onlyJson } from '../http/json-body.ts';
import { untilGone } from '../http/request.ts';

export function mcpRoutes(
  context: Context,
  { waits, searches }: { waits: WaitParts; searches: SearchQueue },
  readBody: ReturnType<typeof bodyReaders>['readBody'],
): Router {
  const router = Router();
  const isOwnOrigin = onlyOwnOrigin(context.config.http.publicUrl);
  router.all(
    '/mcp',
    onlyPost,
    isOwnOrigin,
    requireToken,
    authenticate(context),
    limitRate(context),
    refuseRevoked(context),
  );
  router.post('/mcp', nothingIsJson, onlyJson, readBody, oneMessage, async (req, res) => {
    // Loaded on demand: the SDK takes 12 MB of memory.
    const { answerMcp } = await import('./server.ts');
    const { caller } = res.locals;
    await answerMcp({ context, caller, waits, searches, gone: untilGone(req, res) }, req, res);
  });
  return router;
}

const onlyPost: RequestHandler = (req, res, next) => {
  if (req.method !== 'POST') {
    res.setHeader('Allow', 'POST');
    throw new AppError('method_not_allowed', 'This endpoint supports POST only.');
  }
  next();
};

/** A page of another site must not use a server on the user's machine (DNS rebinding). */
function onlyOwnOrigin(publicUrl: string): RequestHandler {
  const own = new URL(publicUrl).origin;
  return ({ headers: { origin } }, _res, next) => {
    if (origin !== undefined && origin !== own) {
      throw new AppError(
        'forbidden',
        'The header "Origin" is not the origin of this service. Leave the header out.',
      );
    }
    next();
  };
}

/** A request counts once against the rate limit, so it has one message. */
const oneMessage: RequestHandler = (req, _res, next) => {
  if (typeof req.body !== 'object' || req.body === null || Array.isArray(req.body)) {
    throw new AppError('invalid_request', 'The request body must be one JSON-RPC message.');
  }
  next();
};
