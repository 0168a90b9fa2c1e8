import express, { type Express, type RequestHandler, Router } from 'express';
import helmet, { type HelmetOptions } from 'helmet';
import type { Context } from '../core/context.ts';
import {
  authenticate,
  requireToken,
  authorizeMethod,
  authorizeTokens,
  refuseRevoked,
} from './auth/authenticate.ts';
import { readContract } from './contract/contract.ts';
import { dashboardFiles } from './routes/dashboard.ts';
import { claimRoutes } from './routes/claims.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { compatRoutes } from './compat/route.ts';
import { docsRoutes } from './contract/docs.ts';
import { handleErrors, noSuchRoute } from './http/errors.ts';
import { fileRoutes } from './routes/files.ts';
import { eventRoutes } from './routes/events.ts';
import {
  logRequests,
  measureRequests,
  requestId,
  setVersionHeader,
} from './http/observe-requests.ts';
import { llmsRoutes } from './routes/llms.ts';
import { mailboxRoutes } from './routes/mailboxes.ts';
import { messageJson } from './routes/message-json.ts';
import { mcpRoutes } from './mcp/route.ts';
import { messageRoutes } from './routes/messages.ts';
import { metricsRoutes } from './operator/metrics.ts';
import { orderResponses, refuseExpectations, requireHost } from './http/request.ts';
import { type Unread, limitUnread } from './http/unread.ts';
import { plainNames, plainPlus, readQuery } from './http/query.ts';
import { onlyListed } from './outside-api.ts';
import { queueBoard } from './operator/queue-board.ts';
import { limitRate } from './auth/rate-limit.ts';
import { bodyReaders, nothingIsJson } from './http/json-body.ts';
import { replyRoutes } from './routes/replies.ts';
import { searchRoutes } from './routes/search.ts';
import { sessionRoutes } from './routes/session.ts';
import { credentialRoutes } from './routes/smtp-credentials.ts';
import { waitParts, waitRoutes } from './routes/waits.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { openValidation } from './contract/validate.ts';
import { checkDependencies } from '../core/instance/readiness.ts';
import type { Caller } from '../core/auth/caller.ts';

declare global {
  // Express types `res.locals` by merging into this namespace.
  // oxlint-disable-next-line typescript/no-namespace
  namespace Express {
    interface Locals {
      requestId: string;
      /** Whether the request was HEAD. It is handled as GET, and handlers can omit the body. */
      headOnly: boolean;
      /** Set on every route below `/api`. */
      caller: Caller;
      /** The memory that the response takes. */
      unread: Unread;
      /** False for operations that accept only a token. */
      takesSession?: boolean;
      /** Set if the caller was authenticated by a session. */
      sessionId?: string;
    }
  }
}

const BOARD = '/admin/queues';

/**
 * The HTTP application. Requests are authenticated before their body is read, and validated against
 * the contract before a handler runs.
 */
export function createApp(context: Context): Express {
  const { config } = context;
  const { readSendBody, readMail, readBody, readAnyBody } = bodyReaders(
    config.http.maxReceivingBytes,
  );
  const contract = readContract();
  const waits = waitParts(context);
  const json = messageJson(context, waits.extractions);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', readQuery);
  app.set('trust proxy', config.trustProxy);
  app.use(measureRequests(context.metrics.http), requestId, logRequests(context));
  app.use(setVersionHeader(contract.info.version));
  app.use(helmet(securityHeaders(config.http.publicUrl.startsWith('https:'))));
  app.use(limitUnread(config.http.maxSendingBytes));
  app.use(orderResponses, requireHost, refuseExpectations, headAsGet);
  const site = Router();
  site.use(dashboardFiles(), onlyListed);
  site.use(docsRoutes());
  site.use(llmsRoutes(config.http.publicUrl));
  site.use(metricsRoutes(context, noStore));
  site.use(BOARD, noStore, queueBoard(context, BOARD));
  const { version } = contract.info;
  site.use(
    '/compat',
    noStore,
    compatRoutes(context, { searches: waits, readBody: readAnyBody, version }),
  );
  site.use('/attachments', noStore);
  site.use('/mcp', noStore);
  site.use(mcpRoutes(context, waits, readBody));
  app.use(outsideApi(site));
  app.post('/api/session', requireToken);
  app.use('/api', noStore, authenticate(context), limitRate(context));
  app.use('/api', refuseRevoked(context), authorizeMethod);
  app.use('/api/tokens', authorizeTokens);
  app.use('/api', plainPlus, nothingIsJson);
  app.post('/api/mailboxes/:name/messages', readSendBody);
  app.post('/api/mailboxes/:name/messages/raw', readMail);
  app.post('/api/mailboxes/:name/messages/:id/reply', readSendBody);
  app.use(readBody);
  app.use(plainNames);
  app.use(openValidation(contract, { responses: config.validateResponses }));
  // Routes are tried in order, so those of frequent requests are first.
  app.use(waitRoutes(context, json, waits)); // before `messages/{id}`
  app.use(messageRoutes(context, json, waits));
  app.use(replyRoutes(context));
  app.use(mailboxRoutes(context));
  app.use(claimRoutes(context, json, waits));
  app.use(eventRoutes(context, waits));
  app.use(healthRoutes(context));
  app.use(sessionRoutes(context, BOARD));
  app.use(searchRoutes(context, json, waits));
  app.use(credentialRoutes(context));
  app.use(webhookRoutes(context));
  app.use(deliveryRoutes(context));
  app.use(tokenRoutes(context));
  app.use(fileRoutes(context));
  app.use(noSuchRoute);
  app.use(handleErrors(context));
  return app;
}

/** Without HTTPS, headers that make browsers switch to HTTPS are left out. */
function securityHeaders(isHttps: boolean): HelmetOptions {
  const directives = { upgradeInsecureRequests: isHttps ? [] : null };
  return { strictTransportSecurity: isHttps, contentSecurityPolicy: { directives } };
}

/** HEAD works wherever GET does; Node omits the body. */
const headAsGet: RequestHandler = (req, res, next) => {
  res.locals.headOnly = req.method === 'HEAD';
  if (res.locals.headOnly) req.method = 'GET';
  next();
};

/** Spares requests of the API the routes of all other paths. */
const outsideApi =
  (router: Router): RequestHandler =>
  (req, res, next) => {
    if (req.path.startsWith('/api/')) next();
    else router(req, res, next);
  };

const noStore: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  next();
};

/** `/healthz`: the process runs. `/readyz`: its dependencies respond. */
function healthRoutes(context: Context): Router {
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
