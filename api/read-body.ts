/**
 * JSON bodies, read where a body means something and nowhere else: what GET and DELETE carry has no
 * meaning (RFC 9110 section 9.3.1) and is not looked at, however large or broken.
 */
import express, { type RequestHandler } from 'express';
import { AppError } from '../core/errors.js';
import { ONLY_JSON } from './errors.js';

const WITH_BODY = new Set(['POST', 'PATCH']);
const json = express.json({ limit: '100kb' });

/** 10 MiB of attachments are 13.4 MiB of base64; the rest is for text and HTML. */
export const readSendBody: RequestHandler = express.json({ limit: '20mb' });

export const readBody: RequestHandler = (req, res, next) => {
  if (WITH_BODY.has(req.method)) json(req, res, next);
  else next();
};

/** No body has no type to get wrong: whether something is missing is for the contract to say. */
export const nothingIsJson: RequestHandler = (req, _res, next) => {
  const { 'transfer-encoding': chunked, 'content-length': length = '0' } = req.headers;
  if (chunked === undefined && length === '0') req.headers['content-type'] = 'application/json';
  next();
};

/**
 * Refuses a body that was not read because of its type, also where the body is optional: passed over,
 * it would leave the caller with something else than was asked for.
 */
export const onlyJson: RequestHandler = (req, _res, next) => {
  const empty = req.headers['content-length'] === '0';
  if (WITH_BODY.has(req.method) && !empty && req.is('application/json') === false) {
    throw new AppError('unsupported_media_type', ONLY_JSON);
  }
  next();
};
