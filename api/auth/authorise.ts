/** What the caller's role allows, before any body is read; HEAD is GET by then. */
import type { RequestHandler } from 'express';
import { requireChanges, requireTokenManagement } from '../../core/auth/roles.js';

/** A role that only reads stops here at everything but GET; to sign in and out changes nothing. */
export const authoriseMethod: RequestHandler = (req, res, next) => {
  if (req.method !== 'GET' && req.path !== '/session') requireChanges(res.locals.caller.token.role);
  next();
};

/** Stands before all paths of the tokens. */
export const authoriseTokens: RequestHandler = (_req, res, next) => {
  requireTokenManagement(res.locals.caller.token.role);
  next();
};
