import type { RequestHandler } from 'express';
import { AppError } from '../core/errors.js';

/**
 * Bodies are JSON and say so. A request without any body is left to the contract, which knows whether
 * something is missing; without a content type it would only be told that its type is unknown.
 */
export const requireJson: RequestHandler = (req, _res, next) => {
  const hasBody =
    req.headers['transfer-encoding'] !== undefined ||
    Number(req.headers['content-length'] ?? 0) > 0;
  if (hasBody && !req.is('application/json')) {
    throw new AppError(
      'unsupported_media_type',
      'Send the body as "Content-Type: application/json".',
    );
  }
  if (!hasBody) req.headers['content-type'] = 'application/json';
  next();
};
