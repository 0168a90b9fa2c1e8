import type { ErrorBody } from './shapes.ts';

/** An error response, or a request without a response. `message` is suitable for display. */
export class ApiError extends Error {
  /** Error code as in openapi.yaml; `offline` if there was no response. */
  readonly code: string;
  /** HTTP status; null if there was no response. */
  readonly status: number | null;
  readonly details: unknown;

  constructor(message: string, code: string, status: number | null, details?: unknown) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

export const offline = () =>
  new ApiError('Cannot reach Mayfly. Check the connection and try again.', 'offline', null);

/** Converts an error response. Also accepts responses of a proxy, whose body has another shape. */
export async function errorFrom(response: Response): Promise<ApiError> {
  const text = await response.text();
  const body = parseErrorBody(text);
  if (body) return new ApiError(body.error, body.code, response.status, body.details);
  return new ApiError(
    `The server responded with status ${response.status}.`,
    'unknown',
    response.status,
  );
}

/** Parses an error body. Returns null if the text is not one. */
export function parseErrorBody(text: string): ErrorBody | null {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null;
    return typeof body?.error === 'string' ? (body as ErrorBody) : null;
  } catch {
    return null;
  }
}

/** Converts a thrown value to an error that can be displayed. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(thrown instanceof Error ? thrown.message : 'Unknown.', 'unknown', null);
}
