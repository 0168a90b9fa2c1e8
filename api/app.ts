import express, { type Express, type RequestHandler, Router } from 'express';
import helmet, { type HelmetOptions } from 'helmet';
import type { Context } from '../core/context.js';
import { openSearchQueue } from '../core/search/search-queue.js';
import type {} from './locals.js';
import { authenticate, requireToken } from './auth/authenticate.js';
import { readContract } from './contract/contract.js';
import { dashboardFiles } from './routes/dashboard.js';
import { claimRoutes } from './routes/claims.js';
import { deliveryRoutes } from './routes/deliveries.js';
import { docsRoutes } from './contract/docs.js';
import { authoriseMethod, authoriseTokens } from './auth/authorise.js';
import { handleErrors, noSuchRoute } from './http/errors.js';
import { fileRoutes } from './routes/files.js';
import { eventRoutes } from './routes/events.js';
import { healthRoutes } from './routes/health.js';
import { logRequests, measureRequests, requestId, tellVersion } from './http/observe-requests.js';
import { llmsRoutes } from './routes/llms.js';
import { mailboxRoutes } from './routes/mailboxes.js';
import { messageJson } from './routes/message-json.js';
import { mcpRoutes } from './mcp/route.js';
import { messageRoutes } from './routes/messages.js';
import { metricsRoutes } from './operator/metrics.js';
import { refuseExpectations, requireHost } from './http/request-head.js';
import { orderAnswers } from './http/request-over.js';
import { plainIntegers, plainNames, plainPlus } from './http/query.js';
import { queueBoard } from './operator/queue-board.js';
import { limitRate } from './auth/rate-limit.js';
import { bodyReaders, nothingIsJson } from './http/json-body.js';
import { refuseRevoked } from './auth/recheck-token.js';
import { searchRoutes } from './routes/search.js';
import { sessionRoutes } from './routes/session.js';
import { credentialRoutes } from './routes/smtp-credentials.js';
import { waitParts, waitRoutes } from './routes/waits.js';
import { webhookRoutes } from './routes/webhooks.js';
import { tokenRoutes } from './routes/tokens.js';
import { openValidation } from './contract/validate.js';

const BOARD = '/admin/queues';

/**
 * The HTTP application. Requests are authenticated before their body is read, and validated against
 * the contract before a handler runs.
 */
export function createApp(context: Context): Express {
  const { config } = context;
  const { readSendBody, readMail, readBody } = bodyReaders(config.http.maxReceivingBytes);
  const contract = readContract();
  const waits = waitParts(context);
  const json = messageJson(context, waits.extractions);
  const searches = openSearchQueue();
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', config.trustProxy);
  app.use(measureRequests(context.metrics.http), requestId, logRequests(context));
  app.use(tellVersion(contract.info.version));
  app.use(helmet(securityHeaders(config.http.publicUrl.startsWith('https:'))));
  app.use(orderAnswers, requireHost, refuseExpectations, headAsGet);
  const site = Router();
  site.use(dashboardFiles());
  site.use(docsRoutes());
  site.use(llmsRoutes(config.http.publicUrl));
  site.use(metricsRoutes(context, noStore));
  site.use(BOARD, noStore, ...queueBoard(context, BOARD));
  site.use('/attachments', noStore);
  site.use('/mcp', noStore);
  site.use(mcpRoutes(context, { waits, searches }, readBody));
  app.use(outsideApi(site));
  app.post('/api/session', requireToken);
  app.use('/api', noStore, authenticate(context), limitRate(context));
  app.use('/api', refuseRevoked(context), authoriseMethod);
  app.use('/api/tokens', authoriseTokens);
  app.use('/api', plainPlus, plainIntegers, nothingIsJson);
  app.post('/api/mailboxes/:name/messages', readSendBody);
  app.post('/api/mailboxes/:name/messages/raw', readMail);
  app.use(readBody);
  app.use(plainNames);
  app.use(openValidation(contract, { responses: config.validateResponses }));
  // Routes are tried in order, so those of frequent requests are first.
  app.use(waitRoutes(context, json, waits)); // before `messages/{id}`
  app.use(messageRoutes(context, json, { ...waits, searches }));
  app.use(mailboxRoutes(context));
  app.use(claimRoutes(context, json, waits));
  app.use(eventRoutes(context, waits));
  app.use(healthRoutes(context));
  app.use(sessionRoutes(context, BOARD));
  app.use(searchRoutes(context, json, searches));
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
