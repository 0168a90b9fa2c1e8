import type { RequestHandler } from 'express';
import { newId } from '../core/ids.js';

/** Gives each request an id that its answer, its errors and its log lines carry. */
export const requestId: RequestHandler = (_req, res, next) => {
  res.locals.requestId = newId('request');
  res.setHeader('X-Request-Id', res.locals.requestId);
  next();
};
