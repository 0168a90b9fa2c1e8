/**
 * JSON bodies, read where a body means something and nowhere else: what GET and DELETE carry has no
 * meaning (RFC 9110 section 9.3.1) and is not looked at, however large or broken. All of them together are
 * bounded, since each is in memory until it is answered, and a large one several times.
 */
import type { Request, RequestHandler } from 'express';
import pLimit, { type LimitFunction } from 'p-limit';
import { type ByteBudget, openByteBudget } from '../../core/limits/byte-budget.js';
import { AppError } from '../../core/errors.js';
import { NO_JSON, ONLY_JSON } from './errors.js';
import { exceedsLimits } from './json-limits.js';
import { bodyBytes, httpFailure, receiveBody, refuseTooLong } from './read-bytes.js';
import { expectsContinue } from './request-head.js';
import { earlierAnswers, isOver, whenOver } from './request-over.js';

/** Methods whose bodies are read. */
export const WITH_BODY = new Set(['POST', 'PATCH']);
const MAX_BYTES = 100 * 1024;
/** 10 MiB of attachments are 13.4 MiB of base64; the rest is for text and HTML. */
const MAX_SEND_BYTES = 20 * 1024 * 1024;

/** As SMTP takes it. */
const MAX_MAIL_BYTES = 25 * 1024 * 1024;
const MAIL_TYPE = 'message/rfc822';

/** Bodies above this are worked on one at a time, from parsing to the answer. */
const LARGE_BYTES = 1024 * 1024;

/** @param maxReceivingBytes of all bodies that are not answered yet; 0 for any number. */
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

/** A client that waits to be asked for its body (RFC 9110 section 10.1.1) is asked only now. */
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
    // Nobody waits for the answer, and no event of this request would give the bytes back.
    if (isOver(req, res)) return;
    const bytes = bodyBytes(req) ?? limit;
    if (!budget.reserve(bytes)) {
      throw new AppError('unavailable', 'Too many large requests at the moment, try again later.');
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
    throw httpFailure(415, 'The body must be UTF-8');
  }
  if (body.length === 0) return {};
  if (exceedsLimits(body)) {
    throw httpFailure(400, 'The body has too many values, or too deep ones');
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

/** No body has no type to get wrong: whether something is missing is for the contract to say. */
export const nothingIsJson: RequestHandler = (req, _res, next) => {
  const { 'transfer-encoding': chunked, 'content-length': length = '0' } = req.headers;
  if (chunked === undefined && length === '0') req.headers['content-type'] = 'application/json';
  next();
};

/** Refuses what is no mail, for the one operation that takes one. */
export const onlyMail: RequestHandler = (req, _res, next) => {
  if (!Buffer.isBuffer(req.body)) {
    throw new AppError(
      'unsupported_media_type',
      'The body must be a mail: send the header "Content-Type: message/rfc822".',
    );
  }
  req.headers['content-type'] = MAIL_TYPE;
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
