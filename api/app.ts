import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Context } from '../core/context.js';
import type {} from './locals.js';
import { authenticate } from './auth.js';
import { handleErrors, noSuchRoute } from './errors.js';
import { fileRoutes } from './files.js';
import { healthRoutes } from './health.js';
import { mailboxRoutes } from './mailboxes.js';
import { messageRoutes } from './messages.js';
import { plainLimit, plainPlus } from './query.js';
import { requestId } from './request-id.js';
import { validateAgainstContract } from './validate.js';

/** The HTTP application. Who asks is settled before any body is read, and the contract before any handler. */
export function createApp(context: Context): Express {
  const { config } = context;
  const log = context.log.child({ subsystem: 'api' });
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(requestId);
  app.use(helmet({ strictTransportSecurity: config.http.publicUrl.startsWith('https:') }));
  app.use(headAsGet);
  app.use('/attachments', noStore);
  app.use('/api', noStore, authenticate(context), plainPlus, plainLimit);
  app.use(express.json({ limit: '100kb' }));
  app.use(validateAgainstContract({ responses: config.validateResponses }));
  app.use(healthRoutes(context));
  app.use(mailboxRoutes(context));
  app.use(messageRoutes(context));
  app.use(fileRoutes(context));
  app.use(noSuchRoute);
  app.use(handleErrors(log));
  return app;
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
