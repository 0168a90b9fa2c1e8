/** Every failure of a request becomes one JSON shape; what is not meant for the caller goes to the log. */
import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { requireLiveToken } from '../../core/auth/transaction-as.js';
import type { Context } from '../../core/context.js';
import { AppError, asAppError, type ErrorCode } from '../../core/errors.js';
import { newId } from '../../core/ids.js';

export const NO_JSON = 'The body is not a JSON object.';
export const ONLY_JSON = 'The body must be JSON: send the header "Content-Type: application/json".';
const RETRY_AFTER_SECONDS = 2;

/** Codes for failures that the HTTP layers (Express, body parser, validator) report by status alone. */
const codeByStatus: Partial<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

/** What those layers throw, as far as we look at it. */
interface HttpFailure extends Error {
  status: number;
  headers?: { Allow?: string };
  errors?: { path: string; message: string }[];
}

export const noSuchRoute: RequestHandler = (req) => {
  throw new AppError('not_found', `There is nothing at ${req.baseUrl}${req.path}.`);
};

export function handleErrors(context: Pick<Context, 'log' | 'store'>): ErrorRequestHandler {
  const log = context.log.child({ subsystem: 'api' });
  return async (thrown: unknown, req, res, next) => {
    const { requestId } = res.locals;
    const error = await unlessRevoked(context, res, toAppError(thrown));
    const facts = {
      requestId,
      method: req.method,
      path: req.path,
      status: error.status,
      code: error.code,
    };
    const isOurChoice = error.code === 'unavailable' && error.cause === undefined;
    if (isOurChoice) log.warn('request refused', { ...facts, reason: error.message });
    else if (error.status >= 500)
      log.error('request failed', { ...facts, error: error.cause ?? error });
    else log.info('request refused', { ...facts, reason: error.message });
    if (res.headersSent) {
      next(thrown);
      return;
    }
    if (error.status === 405 && isHttpFailure(thrown) && thrown.headers?.Allow)
      res.setHeader('Allow', allowed(thrown.headers.Allow));
    if (error.status === 401 && !res.hasHeader('WWW-Authenticate')) {
      res.setHeader('WWW-Authenticate', 'Bearer');
    }
    if (error.status === 503) res.setHeader('Retry-After', RETRY_AFTER_SECONDS);
    const details = error.details === undefined ? {} : { details: error.details };
    res
      .status(error.status)
      .json({ error: error.message, code: error.code, requestId, ...details });
  };
}

/** A refusal tells things too: a caller whose token was revoked meanwhile learns only that. */
async function unlessRevoked(
  context: Pick<Context, 'store'>,
  res: Response,
  error: AppError,
): Promise<AppError> {
  const refusal = error.status < 500 && error.status !== 401;
  if (!refusal || !('caller' in res.locals)) return error;
  try {
    await requireLiveToken(context, res.locals.caller);
    return error;
  } catch (revoked) {
    return toAppError(revoked);
  }
}

function toAppError(thrown: unknown): AppError {
  const known = asAppError(thrown);
  if (known) return known;
  const code = isHttpFailure(thrown) ? codeByStatus[thrown.status] : undefined;
  if (code === undefined || !isHttpFailure(thrown)) {
    return new AppError('internal', 'Something went wrong on our side.', { cause: thrown });
  }
  if (thrown.status === 415) return new AppError(code, ONLY_JSON, { cause: thrown });
  const faults = thrown.errors?.map(({ path, message }) => ({ path, message }));
  return new AppError(code, sentence(thrown), { cause: thrown, details: faults });
}

/** Whether a layer below the handlers threw it, with a status. */
export function isHttpFailure(thrown: unknown): thrown is HttpFailure {
  return thrown instanceof Error && 'status' in thrown && typeof thrown.status === 'number';
}

/** The validator begins its texts with the place: `request/query/limit must be >= 1`. */
function sentence({ message }: Error): string {
  const text = message
    .replaceAll(/request\/(?:query|params|body|headers)\//g, '')
    .replace(/^request\//, '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.+$/, '')}.`;
}

/** HEAD works wherever GET does. */
function allowed(methods: string): string {
  return methods.replace(/\bGET\b/, 'GET, HEAD');
}

/** The header fields of every answer that matter for an error. */
const RAW_HEADERS = [
  'Connection: close',
  'Content-Type: application/json; charset=utf-8',
  'Cache-Control: no-store',
  "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy: no-referrer',
  'X-Content-Type-Options: nosniff',
  'X-Frame-Options: SAMEORIGIN',
];

/** The bytes of an error answer, for a connection whose request never reaches the application. */
export function rawResponse(
  status: number,
  code: ErrorCode,
  error: string,
): { requestId: string; bytes: string } {
  const requestId = newId('request');
  const body = JSON.stringify({ error, code, requestId });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...RAW_HEADERS,
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return { requestId, bytes: `${lines.join('\r\n')}\r\n\r\n${body}` };
}
