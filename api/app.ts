import express, { type Express, type RequestHandler } from 'express';
import helmet, { type HelmetOptions } from 'helmet';
import type { Context } from '../core/context.js';
import type {} from './locals.js';
import { authenticate } from './auth.js';
import { readContract } from './contract.js';
import { dashboardFiles } from './dashboard-files.js';
import { deliveryRoutes } from './deliveries.js';
import { docsRoutes } from './docs.js';
import { authoriseMethod, authoriseTokens } from './authorise.js';
import { handleErrors, noSuchRoute } from './errors.js';
import { refuseExpectations } from './expectation.js';
import { fileRoutes } from './files.js';
import { eventRoutes } from './events.js';
import { healthRoutes } from './health.js';
import { mailboxRoutes } from './mailboxes.js';
import { measureRequests } from './measure-requests.js';
import { messageRoutes } from './messages.js';
import { metricsRoutes } from './metrics.js';
import { oneHost } from './one-host.js';
import { plainLimit, plainNames, plainPlus } from './query.js';
import { queueBoard } from './queue-board.js';
import { limitRate } from './rate-limit.js';
import { bodyReaders, nothingIsJson } from './read-body.js';
import { refuseRevoked } from './refuse-revoked.js';
import { requestId } from './request-id.js';
import { sessionRoutes } from './session.js';
import { webhookRoutes } from './webhooks.js';
import { tokenRoutes } from './tokens.js';
import { validateAgainstContract } from './validate.js';

const BOARD = '/admin/queues';

/** The HTTP application. Who asks is settled before any body is read, and the contract before any handler. */
export function createApp(context: Context): Express {
  const { config } = context;
  const { readSendBody, readBody } = bodyReaders(config.http.maxReceivingBytes);
  const contract = readContract();
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', config.trustProxy);
  app.use(measureRequests(context.metrics.http), requestId);
  app.use(helmet(securityHeaders(config.http.publicUrl.startsWith('https:'))));
  app.use(oneHost, refuseExpectations, headAsGet);
  app.use(dashboardFiles());
  app.use(docsRoutes(contract));
  app.use(metricsRoutes(context, noStore));
  app.use(BOARD, noStore, ...queueBoard(context, BOARD));
  app.use('/attachments', noStore);
  app.use('/api', noStore, authenticate(context), limitRate(context));
  app.use('/api', refuseRevoked(context), authoriseMethod);
  app.use('/api/tokens', authoriseTokens);
  app.use('/api', plainPlus, plainLimit, nothingIsJson);
  app.post('/api/mailboxes/:name/messages', readSendBody);
  app.use(readBody);
  app.use(plainNames);
  app.use(validateAgainstContract(contract.json, { responses: config.validateResponses }));
  app.use(healthRoutes(context));
  app.use(sessionRoutes(context, BOARD));
  app.use(eventRoutes(context));
  app.use(mailboxRoutes(context));
  app.use(messageRoutes(context));
  app.use(webhookRoutes(context));
  app.use(deliveryRoutes(context));
  app.use(tokenRoutes(context));
  app.use(fileRoutes(context));
  app.use(noSuchRoute);
  app.use(handleErrors(context));
  return app;
}

/** Where clients come in plain HTTP, nothing may tell browsers to go on in HTTPS. */
function securityHeaders(isHttps: boolean): HelmetOptions {
  const directives = { upgradeInsecureRequests: isHttps ? [] : null };
  return { strictTransportSecurity: isHttps, contentSecurityPolicy: { directives } };
}

/** HEAD works wherever GET does; Node leaves the body out by itself. */
const headAsGet: RequestHandler = (req, res, next) => {
  res.locals.headOnly = req.method === 'HEAD';
  if (res.locals.headOnly) req.method = 'GET';
  next();
};

const noStore: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  next();
};
