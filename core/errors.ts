import { DatabaseUnavailable, messageOf } from '../db/errors.ts';

/**
 * The table of error codes and their HTTP statuses. Codes are part of the API: add codes, but never
 * rename them.
 */
export const errorStatus = {
  invalid_json: 400,
  invalid_request: 400,
  invalid_mark: 400,
  unauthorized: 401,
  forbidden: 403,
  plan_limit: 403,
  webhook_limit: 403,
  credential_limit: 403,
  custom_name_requires_pro: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  name_taken: 409,
  client_id_taken: 409,
  request_running: 409,
  webhook_paused: 409,
  message_gone: 409,
  claim_lost: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  expectation_failed: 417,
  invalid_name: 422,
  invalid_labels: 422,
  unprocessable: 422,
  idempotency_mismatch: 422,
  rate_limited: 429,
  wait_limit: 429,
  header_too_large: 431,
  internal: 500,
  encryption_failed: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** An error for the caller; `message` is sent to the client unchanged. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: unknown;
  /** Seconds after which the request may succeed. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; details?: unknown; retryAfter?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/**
 * The message of any thrown value, for log lines and operators. The message of an error for clients
 * does not say what has happened, so that of its cause is added.
 */
export function errorText(error: unknown): string {
  const text = messageOf(error);
  const hasCause = error instanceof AppError || error instanceof DatabaseUnavailable;
  if (!hasCause || error.cause === undefined) return text;
  const cause = errorText(error.cause);
  return text.includes(cause) ? text : `${text} (${cause})`;
}

/** Converts an error to an API error; null if it has no meaning for a caller. */
export function asAppError(thrown: unknown): AppError | null {
  if (thrown instanceof AppError) return thrown;
  if (!(thrown instanceof DatabaseUnavailable)) return null;
  return new AppError('unavailable', thrown.message, { cause: thrown.cause });
}
