/** What the head of every request must hold, whatever it asks for. */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { AppError } from '../../core/errors.js';

/** RFC 9112 section 3.2: a request of HTTP/1.1 without Host, or with two of them, is answered with 400. */
export const requireHost: RequestHandler = (req, _res, next) => {
  const names = req.rawHeaders.filter((_, index) => index % 2 === 0);
  const hosts = names.filter((name) => name.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0')) {
    throw new AppError('invalid_request', 'The request must have exactly one Host header.');
  }
  next();
};

/** Whether the client waits to be asked for its body (RFC 9110 section 10.1.1). */
export function expectsContinue({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue';
}

/** Refuses every other expectation: the RFC defines none. */
export const refuseExpectations: RequestHandler = (req, _res, next) => {
  if (req.headers.expect !== undefined && !expectsContinue(req)) {
    throw new AppError(
      'expectation_failed',
      'Unsupported Expect header. Send "100-continue", or leave the header out.',
    );
  }
  next();
};
