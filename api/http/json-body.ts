/**
 * Reads JSON bodies where they have a meaning. Bodies of GET and DELETE have none (RFC 9110 section
 * 9.3.1) and are ignored. The total size of all bodies is limited, because each is in memory until
 * its response, large ones several times.
 */
import type { Request, RequestHandler } from 'express';
import pLimit, { type LimitFunction } from 'p-limit';
import { type ByteBudget, openByteBudget } from '../../core/limits/byte-budget.ts';
import { AppError } from '../../core/errors.ts';
import { NO_JSON, ONLY_JSON } from './errors.ts';
import { MAX_DEPTH, MAX_VALUES, exceedsLimits } from './json-limits.ts';
import { bodyBytes, receiveBody, refuseTooLong } from './read-bytes.ts';
import { expectsContinue } from './request-head.ts';
import { earlierAnswers, isOver, whenOver } from './request-over.ts';

/** Methods whose bodies are read. */
export const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);
const MAX_BYTES = 100 * 1024;
/** 10 MiB of attachments are 13.4 MiB of base64; the rest is for text and HTML. */
const MAX_SEND_BYTES = 20 * 1024 * 1024;

const TOO_COMPLEX = `The request body is nested more than ${MAX_DEPTH} levels deep, or has more than ${MAX_VALUES} values.`;

/** The same limit as in SMTP. */
const MAX_MAIL_BYTES = 25 * 1024 * 1024;
const MAIL_TYPE = 'message/rfc822';

/** Bodies above this size are handled one at a time, from parsing to the response. */
const LARGE_BYTES = 1024 * 1024;

/** @param maxReceivingBytes limit of all bodies in progress; 0 for no limit. */
export function bodyReaders(
  maxReceivingBytes: number,
): Record<'readSendBody' | 'readMail' | 'readBody', RequestHandler> {
  const budget = openByteBudget(maxReceivingBytes);
  const large = pLimit(1);
  const json = reader(MAX_BYTES, budget, large);
  return {
    readSendBody: reader(MAX_SEND_BYTES, budget, large),
    readMail: reader(MAX_MAIL_BYTES, budget, large, { type: MAIL_TYPE, parse: (body) => body }),
    readBody: (req, res, next) => {
      if (WITH_BODY.has(req.method)) return json(req, res, next);
      next();
    },
  };
}

/** Sends "100 Continue" only now to a client that waits for it (RFC 9110 section 10.1.1). */
function reader(
  limit: number,
  budget: ByteBudget,
  large: LimitFunction,
  { type, parse: toValue } = { type: 'application/json', parse: parseJson },
): RequestHandler {
  return async (req, res, next) => {
    const isRead = req.body !== undefined;
    if (isRead || !req.is(type)) {
      next();
      return;
    }
    refuseTooLong(req, limit);
    await earlierAnswers(req, res);
    // The request is over, so none of its events would return the bytes to the budget.
    if (isOver(req, res)) return;
    const bytes = bodyBytes(req) ?? limit;
    if (!budget.reserve(bytes)) {
      throw new AppError(
        'unavailable',
        'The service is receiving too many request bodies. Retry in a few seconds.',
      );
    }
    whenOver(req, res, () => {
      budget.release(bytes);
    });
    if (expectsContinue(req)) res.writeContinue();
    const body = await receiveBody(req, limit);
    const parse = () => {
      req.body = toValue(body, req);
      next();
    };
    if (body.length <= LARGE_BYTES) {
      parse();
      return;
    }
    await large(async () => {
      if (isOver(req, res)) return;
      const over = new Promise<void>((resolve) => {
        whenOver(req, res, resolve);
      });
      parse();
      await over;
    });
  };
}

const utf8 = new TextDecoder();

function parseJson(body: Buffer, { headers }: Request): unknown {
  // RFC 8259 section 8.1
  if (!/^(?:utf-?8)?$/i.test(charsetOf(headers['content-type'] ?? ''))) {
    throw new AppError('unsupported_media_type', 'The request body must be UTF-8.');
  }
  if (body.length === 0) return {};
  if (exceedsLimits(body)) {
    throw new AppError('invalid_request', TOO_COMPLEX);
  }
  try {
    return JSON.parse(utf8.decode(body));
  } catch (error) {
    throw new AppError('invalid_json', NO_JSON, { cause: error });
  }
}

function charsetOf(contentType: string): string {
  return /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType)?.[1] ?? '';
}

/**
 * Without a body, the content type is not checked. The contract decides whether a body is required.
 */
export const nothingIsJson: RequestHandler = (req, _res, next) => {
  const { 'transfer-encoding': chunked, 'content-length': length = '0' } = req.headers;
  if (chunked === undefined && length === '0') req.headers['content-type'] = 'application/json';
  next();
};

/** Rejects a body that is not a mail, for the operation that stores one. */
export const onlyMail: RequestHandler = (req, _res, next) => {
  if (!Buffer.isBuffer(req.body)) {
    throw new AppError(
      'unsupported_media_type',
      'The request body must be a mail with the header "Content-Type: message/rfc822".',
    );
  }
  req.headers['content-type'] = MAIL_TYPE;
  next();
};

/**
 * Rejects a body with another content type, also where the body is optional. Ignoring it would do
 * something else than the client requested.
 */
export const onlyJson: RequestHandler = (req, _res, next) => {
  const empty = req.headers['content-length'] === '0';
  if (WITH_BODY.has(req.method) && !empty && req.is('application/json') === false) {
    throw new AppError('unsupported_media_type', ONLY_JSON);
  }
  next();
};
