/** Checks that apply to the head of every request. */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { AppError } from '../../core/errors.ts';

/** RFC 9112 section 3.2: an HTTP/1.1 request without exactly one Host header gets 400. */
export const requireHost: RequestHandler = (req, _res, next) => {
  const names = req.rawHeaders.filter((_, index) => index % 2 === 0);
  const hosts = names.filter((name) => name.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0')) {
    throw new AppError('invalid_request', 'The request must have exactly one Host header.');
  }
  next();
};

/** Whether the client waits for "100 Continue" (RFC 9110 section 10.1.1). */
export function expectsContinue({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue';
}

/** Rejects other expectations; the RFC defines none. */
export const refuseExpectations: RequestHandler = (req, _res, next) => {
  if (req.headers.expect !== undefined && !expectsContinue(req)) {
    throw new AppError(
      'expectation_failed',
      'Unsupported Expect header. Send "100-continue", or leave the header out.',
    );
  }
  next();
};
