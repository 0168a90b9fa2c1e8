/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions, so any web
 * process answers any request.
 */
import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import type { Context } from '../../core/context.ts';
import { AppError, type ErrorCode } from '../../core/errors.ts';
import type { WaitServices } from '../../core/waits/wait.ts';
import { authenticate, refuseRevoked, requireToken } from '../auth/authenticate.ts';
import { applyRateLimit, limitRate } from '../auth/rate-limit.ts';
import { type bodyReaders, nothingIsJson, onlyJson } from '../http/json-body.ts';
import { hasOwnOrigin } from '../http/origin.ts';
import { noQuery } from '../http/query.ts';
import { disconnectSignal } from '../http/request.ts';
import { admitTo } from '../http/unread.ts';

export function mcpRoutes(
  context: Context,
  waits: WaitServices,
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
  router.post(
    '/mcp',
    noQuery,
    nothingIsJson,
    onlyJson,
    readBody,
    countMessages(context),
    async (req, res) => {
      // Loaded on demand: the SDK takes 12 MB of memory.
      const { handleMcp } = await import('./server.ts');
      const { caller } = res.locals;
      await handleMcp(
        {
          ...{ context, caller, waits },
          ...{ disconnected: disconnectSignal(req, res), admit: admitTo(res) },
        },
        req,
        res,
      );
    },
  );
  router.use('/mcp', jsonRpcErrors);
  return router;
}

const onlyPost: RequestHandler = (req, res, next) => {
  if (req.method !== 'POST') {
    res.setHeader('Allow', 'POST');
    throw new AppError('method_not_allowed', 'This endpoint supports POST only.');
  }
  next();
};

/**
 * A page of another site must not use a server on the user's machine. One that resolves its own
 * name to this machine (DNS rebinding) has no token.
 */
function onlyOwnOrigin(publicUrl: string): RequestHandler {
  return (req, _res, next) => {
    if (!hasOwnOrigin(req, publicUrl)) {
      throw new AppError(
        'forbidden',
        'The header "Origin" is not the origin of this service. Leave the header out.',
      );
    }
    next();
  };
}

/** Messages of a batch. */
const MAX_BATCH = 20;
/** Revision 2025-03-26 is the only one with batches, and has no header. */
const WITH_BATCHES = new Set([undefined, '2025-03-26']);

/**
 * Requires a JSON-RPC message or, in the revision with batches, several. Each counts against the
 * rate limit.
 */
function countMessages({ rateLimits }: Pick<Context, 'rateLimits'>): RequestHandler {
  return async (req, res, next) => {
    const messages: unknown[] = [req.body as unknown].flat();
    const revision = req.get('MCP-Protocol-Version');
    if (Array.isArray(req.body) && !WITH_BATCHES.has(revision)) {
      throw new AppError(
        'invalid_request',
        `Revision ${revision} has no batches. Send one message.`,
      );
    }
    if (messages.length < 1 || messages.length > MAX_BATCH || !messages.every(isObject)) {
      throw new AppError(
        'invalid_request',
        `The request body must be one JSON-RPC message, or a batch of 1 to ${MAX_BATCH}.`,
      );
    }
    const more = messages.length - 1;
    if (more > 0) {
      const standing = await rateLimits.countRequest(res.locals.caller.workspace, more);
      applyRateLimit(res, standing, 'Rate limit exceeded.');
    }
    next();
  };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Codes of JSON-RPC 2.0, section 5.1. */
const jsonRpcCodes: Partial<Record<ErrorCode, number>> = {
  invalid_json: -32700,
  invalid_request: -32600,
};

/** Errors of the message are answered in its protocol; those of HTTP, such as 401, are not. */
const jsonRpcErrors: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  const code = error instanceof AppError ? jsonRpcCodes[error.code] : undefined;
  if (!(error instanceof AppError) || code === undefined) {
    next(error);
    return;
  }
  const { requestId } = res.locals;
  const data = { code: error.code, requestId };
  res
    .status(error.status)
    .json({ jsonrpc: '2.0', id: null, error: { code, message: error.message, data } });
};
