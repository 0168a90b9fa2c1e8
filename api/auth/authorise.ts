/** Authorises the caller by role, before the body is read. HEAD has become GET at this point. */
import type { RequestHandler } from 'express';
import { requireChanges, requireTokenManagement } from '../../core/auth/roles.ts';

/** Restricts the role reader to GET; signing in and out is not a change. */
export const authoriseMethod: RequestHandler = (req, res, next) => {
  if (req.method !== 'GET' && req.path !== '/session') requireChanges(res.locals.caller.token.role);
  next();
};

/** Applies to all paths of tokens. */
export const authoriseTokens: RequestHandler = (_req, res, next) => {
  requireTokenManagement(res.locals.caller.token);
  next();
};
