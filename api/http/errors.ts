/**
 * Converts every failure of a request to the JSON error shape. Details that are not for the caller
 * are only logged.
 */
import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { requireLiveToken } from '../../core/auth/transaction-as.ts';
import type { Context } from '../../core/context.ts';
import { AppError, asAppError, type ErrorCode } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { readContract } from '../contract/contract.ts';

export const NO_JSON = 'The request body is not valid JSON.';
export const ONLY_JSON =
  'The request body must be JSON. Send the header "Content-Type: application/json".';
const INTERNAL =
  'Internal error. Retry the request. If it fails again, report the requestId to the operator.';
const RETRY_AFTER_SECONDS = 2;

/**
 * Codes for errors that the HTTP layers (Express, static files, validator) report by status only.
 * Every other 4xx is `invalid_request`.
 */
const codeByStatus: Partial<Record<number, ErrorCode>> = {
  404: 'not_found',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  416: 'range_not_satisfiable',
};

/** Texts in place of those of the layers. */
const textByStatus: Partial<Record<number, string>> = {
  412: 'The file does not match the condition of If-Match or If-Unmodified-Since. Leave it out.',
  415: ONLY_JSON,
  416: 'The Range header selects no byte of the file. Content-Range has its length.',
};

/** Headers of a file that do not apply to the error in its place. */
const FILE_HEADERS = ['Content-Type', 'ETag', 'Last-Modified', 'Accept-Ranges'];

/** As express-openapi-validator reports it: `/query/limit` and `must be <= 100`. */
interface ValidationFault {
  path: string;
  message: string;
}

/**
 * Patterns of the validator's messages; `$1` and `$2` are their groups. The subject is put before
 * the text.
 */
const predicates: [RegExp, string][] = [
  [/^must be (<=|less than or equal to) (\S+)$/, 'must be at most $2'],
  [/^must be (>=|greater than or equal to) (\S+)$/, 'must be at least $2'],
  [/^must NOT have fewer than (\d+) (\w+)$/, 'must have $1 or more $2'],
  [/^must NOT have more than (\d+) (\w+)$/, 'must have at most $1 $2'],
  [/^must be equal to one of the allowed values: (.*)$/, 'must be one of: $1'],
  [/^must match format "(.*)"$/, 'must be a valid $1'],
  [/^must match pattern (.*)$/, 'must match the pattern $1'],
  [/^must be (array|integer|object)$/, 'must be an $1'],
  [/^must be (array|integer|object),null$/, 'must be an $1 or null'],
  [/^must be (string|boolean|number)$/, 'must be a $1'],
  [/^must be (string|boolean|number),null$/, 'must be a $1 or null'],
  [/^Empty value found for query parameter .*$/, 'must not be empty'],
];

/** The properties used of errors of those layers. */
interface HttpFailure extends Error {
  status: number;
  headers?: { 'Content-Range'?: string };
  errors?: ValidationFault[];
}

export const noSuchRoute: RequestHandler = (req) => {
  throw new AppError(
    'not_found',
    `No endpoint at ${req.baseUrl}${req.path}. See /docs for the API reference.`,
  );
};

export function handleErrors(context: Pick<Context, 'log' | 'now' | 'store'>): ErrorRequestHandler {
  const log = context.log.child({ subsystem: 'api' });
  return async (thrown: unknown, req, res, _next) => {
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
      res.destroy(); // a response that has begun cannot end with an error
      return;
    }
    for (const name of FILE_HEADERS) res.removeHeader(name);
    res.setHeader('Cache-Control', 'no-store');
    const { 'Content-Range': range } = (isHttpFailure(thrown) && thrown.headers) || {};
    if (error.status === 416 && range) res.setHeader('Content-Range', range);
    if (error.status === 401 && !res.hasHeader('WWW-Authenticate')) {
      res.setHeader('WWW-Authenticate', challengeOf(req));
    }
    const seconds = error.retryAfter ?? (error.status === 503 ? RETRY_AFTER_SECONDS : undefined);
    if (seconds !== undefined && !res.hasHeader('Retry-After')) {
      res.setHeader('Retry-After', seconds);
    }
    const details = error.details === undefined ? {} : { details: error.details };
    res
      .status(error.status)
      .json({ error: error.message, code: error.code, requestId, ...details });
  };
}

/** RFC 6750 section 3.1: without a token there is no error. */
function challengeOf({ headers }: Request): string {
  const hasToken = /^bearer +\S/i.test(headers.authorization ?? '');
  return hasToken ? 'Bearer error="invalid_token"' : 'Bearer';
}

/** A caller whose token was revoked meanwhile must not get the details of an error. */
async function unlessRevoked(
  context: Pick<Context, 'now' | 'store'>,
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
  if (!isHttpFailure(thrown) || thrown.status < 400 || thrown.status >= 500) {
    return new AppError('internal', INTERNAL, { cause: thrown });
  }
  const code = codeByStatus[thrown.status] ?? 'invalid_request';
  const faults = thrown.errors?.map(({ path, message }) => ({ path, message }));
  const [fault] = thrown.status === 400 ? (faults ?? []) : [];
  const text = textByStatus[thrown.status] ?? (fault ? faultText(fault) : sentence(thrown));
  return new AppError(code, text, { cause: thrown, details: faults });
}

/** Whether an HTTP layer threw the error with a status. */
export function isHttpFailure(thrown: unknown): thrown is HttpFailure {
  return thrown instanceof Error && 'status' in thrown && typeof thrown.status === 'number';
}

/** Normalizes the full stop: the texts of other layers end with or without one. */
function sentence({ message }: Error): string {
  return `${message.replace(/(?<!\.)\.+$/, '')}.`;
}

/** A fault as one sentence for the caller, which names the field and says what it must be. */
export function faultText({ path, message }: ValidationFault): string {
  const [, place = '', ...names] = path.split('/');
  const name = names.join('/');
  const kind = { query: 'query parameter', headers: 'header' }[place] ?? 'field';
  if (message === 'must NOT have additional properties') return `Unknown field "${name}".`;
  if (message.startsWith('Unknown query parameter')) return `Unknown query parameter "${name}".`;
  if (message.startsWith('must have required property')) return `Missing ${kind} "${name}".`;
  const subject = name === '' ? 'The request body' : `"${name}"`;
  const [pattern, text] = predicates.find(([each]) => each.test(message)) ?? [/^/, ''];
  return `${subject} ${message.replace(pattern, text)}.`;
}

/** The headers of every response that apply to an error. */
const RAW_HEADERS = [
  'Connection: close',
  'Content-Type: application/json; charset=utf-8',
  'Cache-Control: no-store',
  "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy: no-referrer',
  'X-Content-Type-Options: nosniff',
  'X-Frame-Options: SAMEORIGIN',
];

/**
 * The bytes of an error response, for a connection whose request does not reach the application.
 */
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
    `Mayfly-Version: ${readContract().info.version}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return { requestId, bytes: `${lines.join('\r\n')}\r\n\r\n${body}` };
}
