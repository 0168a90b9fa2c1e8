/**
 * Reads JSON bodies where they have a meaning. Bodies of GET and DELETE have none (RFC 9110 section
 * 9.3.1) and are ignored. The total size of all bodies is limited, because each is in memory until
 * its response, large ones several times.
 */
import type { Request, RequestHandler } from 'express';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import getRawBody from 'raw-body';
import { type ByteBudget, openByteBudget } from '../../core/limits/byte-budget.ts';
import { AppError } from '../../core/errors.ts';
import { NO_JSON, ONLY_JSON, isHttpFailure } from './errors.ts';
import { expectsContinue, earlierResponses, isOver, whenOver } from './request.ts';

/** Methods whose bodies are read. */
export const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);
const MAX_BYTES = 100 * 1024;
/** 10 MiB of attachments are 13.4 MiB of base64; the rest is for text and HTML. */
const MAX_SEND_BYTES = 20 * 1024 * 1024;

/**
 * Limits of the shape of a JSON body, checked before it is parsed. One byte of `[[[[...` takes
 * fifty bytes of memory, so a few bodies of 20 MB could end the process. Valid bodies are flat and
 * have few values.
 */
const MAX_DEPTH = 32;
const MAX_VALUES = 10_000;
const TOO_COMPLEX = `The request body is nested more than ${MAX_DEPTH} levels deep, or has more than ${MAX_VALUES} values.`;

/** The same limit as in SMTP. */
const MAX_MAIL_BYTES = 25 * 1024 * 1024;
const MAIL_TYPE = 'message/rfc822';

/**
 * JSON bodies above this size are handled one at a time, from parsing to the response. Mail has
 * limits of its own.
 */
const LARGE_BYTES = 1024 * 1024;

/** RFC 9110 section 8.4.1, and RFC 7932. */
const unpackers = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

const NO_UTF8 = 'The request body is not valid UTF-8. Encode it as UTF-8.';
const UNREADABLE =
  'The request body cannot be read. Check its Content-Length and Content-Encoding.';
const UNKNOWN_CODING = 'Unsupported Content-Encoding. Use gzip, deflate, br or identity.';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** @param maxReceivingBytes limit of all bodies in progress; 0 for no limit. */
export function bodyReaders(
  maxReceivingBytes: number,
): Record<'readSendBody' | 'readMail' | 'readBody' | 'readAnyBody', RequestHandler> {
  const budget = openByteBudget(maxReceivingBytes);
  const large = pLimit(1);
  const json = reader(MAX_BYTES, budget, large);
  return {
    readSendBody: reader(MAX_SEND_BYTES, budget, large),
    readMail: reader(MAX_MAIL_BYTES, budget, large, { type: MAIL_TYPE, parse: (body) => body }),
    /**
     * Of any method and content type, as clients of other services send them. A body that is not
     * JSON is 400: ignoring it could delete more than the client asked for.
     */
    readAnyBody: (req, res, next) => {
      req.headers['content-type'] = 'application/json';
      return json(req, res, next);
    },
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
    await earlierResponses(req, res);
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
    if (body.length <= LARGE_BYTES || type === MAIL_TYPE) {
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

/** The decoded size of the body, if it is known in advance. */
function bodyBytes(req: Request): number | null {
  if (req.headers['transfer-encoding'] !== undefined || codingOf(req) !== 'identity') return null;
  return announcedBytes(req);
}

/** @throws {AppError} `payload_too_large` if that is known before the body is read. */
function refuseTooLong(req: Request, limit: number): void {
  if (announcedBytes(req) > limit) throw tooLarge(limit);
}

/**
 * Reads and decompresses a body. A body above the limit is rejected as soon as that is known; the
 * parsers of Express read it to its end first, which may never come.
 * @param limit decoded bytes.
 * @throws {AppError} `payload_too_large`, or an error with a status. The rest of the body is left
 *   unread.
 */
async function receiveBody(req: Request, limit: number): Promise<Buffer> {
  const unpacked = unpack(req);
  try {
    return await getRawBody(unpacked ?? req, { limit });
  } catch (cause) {
    if (isHttpFailure(cause) && cause.status === 413) throw tooLarge(limit);
    throw new AppError('invalid_request', UNREADABLE, { cause });
  } finally {
    req.unpipe().pause();
    unpacked?.destroy();
  }
}

/** Null if the body is not compressed. */
function unpack(req: Request): Readable | null {
  const coding = codingOf(req);
  if (coding === 'identity') return null;
  const unpacker = unpackers.get(coding);
  if (!unpacker) throw new AppError('unsupported_media_type', UNKNOWN_CODING);
  const unpacked = req.pipe(unpacker());
  unpacked.on('error', () => undefined); // errors can also occur after the body is rejected
  req.once('close', () => {
    if (!req.readableEnded) unpacked.destroy(new Error('the request was aborted'));
  });
  return unpacked;
}

function codingOf({ headers }: Request): string {
  return (headers['content-encoding'] ?? 'identity').toLowerCase();
}

function announcedBytes({ headers }: Request): number {
  return Number(headers['content-length'] ?? 0);
}

function tooLarge(limit: number): AppError {
  return new AppError(
    'payload_too_large',
    `The request body is larger than ${limit} bytes. Send a smaller body.`,
  );
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

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
    const text = error instanceof SyntaxError ? NO_JSON : NO_UTF8;
    throw new AppError('invalid_json', text, { cause: error });
  }
}

/** Whether the JSON text (UTF-8) is nested too deeply or has too many values. */
function exceedsLimits(json: Uint8Array): boolean {
  let depth = 0;
  let values = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if (byte === COMMA) {
      values += 1;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values += 1;
      depth += 1;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth -= 1;
    }
    if (depth > MAX_DEPTH || values > MAX_VALUES) return true;
  }
  return false;
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
