import type { ErrorBody } from './shapes.js';

/** A refusal, or no answer at all; `message` is shown to people as it stands. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** As in openapi.yaml; `offline` when nobody answered. */
    readonly code: string,
    /** Null when nobody answered. */
    readonly status: number | null,
    readonly details?: unknown,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

export const offline = () =>
  new ApiError('Mayfly cannot be reached. Check the connection and try again.', 'offline', null);

/** The error that a refusal tells of, also where a proxy answered with something else than ours. */
export async function errorFrom(response: Response): Promise<ApiError> {
  const text = await response.text();
  const body = parseError(text);
  if (body) return new ApiError(body.error, body.code, response.status, body.details);
  return new ApiError(`The answer was ${response.status}.`, 'unknown', response.status);
}

/** An error body, or null when the text is none. */
export function parseError(text: string): ErrorBody | null {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null;
    return typeof body?.error === 'string' ? (body as ErrorBody) : null;
  } catch {
    return null;
  }
}

/** Any thrown value as an error that can be shown. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(thrown instanceof Error ? thrown.message : 'Unknown.', 'unknown', null);
}
