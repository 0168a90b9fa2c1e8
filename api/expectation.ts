/** What a client expects before it sends its body (RFC 9110 section 10.1.1). */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { AppError } from '../core/errors.js';

/** Whether the client waits to be asked for its body. */
export function isContinueExpected({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue';
}

/** Refuses what else a client may expect: nothing else is defined. */
export const refuseExpectations: RequestHandler = (req, _res, next) => {
  if (req.headers.expect !== undefined && !isContinueExpected(req)) {
    throw new AppError('expectation_failed', 'Only "Expect: 100-continue" can be met.');
  }
  next();
};
