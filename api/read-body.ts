/**
 * JSON bodies, read where a body means something and nowhere else: what GET and DELETE carry has no
 * meaning (RFC 9110 section 9.3.1) and is not looked at, however large or broken.
 */
import express, { type RequestHandler } from 'express';
import { AppError } from '../core/errors.js';
import { ONLY_JSON } from './errors.js';
import { isTooIntricate } from './json-shape.js';

const WITH_BODY = new Set(['POST', 'PATCH']);
const json = reader('100kb');

/** 10 MiB of attachments are 13.4 MiB of base64; the rest is for text and HTML. */
export const readSendBody: RequestHandler = reader('20mb');

export const readBody: RequestHandler = (req, res, next) => {
  if (WITH_BODY.has(req.method)) json(req, res, next);
  else next();
};

/** A client that waits to be asked for its body (RFC 9110 section 10.1.1) is asked only now. */
function reader(limit: string): RequestHandler {
  const read = express.json({ limit, verify: refuseOddJson });
  return (req, res, next) => {
    if (req.headers.expect?.toLowerCase() === '100-continue') res.writeContinue();
    read(req, res, next);
  };
}

function refuseOddJson(_req: unknown, _res: unknown, body: Buffer, encoding: string): void {
  // RFC 8259 section 8.1. In UTF-16 or UTF-7 brackets could hide from the next line.
  if (encoding !== 'utf-8') throw httpFailure(415, 'The body must be UTF-8');
  if (isTooIntricate(body))
    throw httpFailure(400, 'The body has too many values, or too deep ones');
}

/** In the form that the reader hands on. */
function httpFailure(status: number, message: string): Error {
  return Object.assign(new Error(message), { status });
}

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
