import type { RequestHandler } from 'express';
import { AppError } from '../core/errors.js';

/** RFC 9112 section 3.2: a request of HTTP/1.1 without Host, or with two of them, is answered with 400. */
export const oneHost: RequestHandler = (req, _res, next) => {
  const names = req.rawHeaders.filter((_, index) => index % 2 === 0);
  const hosts = names.filter((name) => name.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0')) {
    throw new AppError('invalid_request', 'A request must have one Host header.');
  }
  next();
};
