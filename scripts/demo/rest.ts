/** Requests to the REST API with one token. */
import { setTimeout as delay } from 'node:timers/promises';

/** One sentence for the user. */
export class DemoError extends Error {
  override name = 'DemoError';
}

/** The service has refused a request. */
export class RefusedError extends DemoError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const DEADLINE_MS = 10_000;
const POLL_MS = 150;

export interface Rest {
  /** @throws {DemoError} */
  readonly get: <Answer>(path: string) => Promise<Answer>;
  /** @throws {DemoError} */
  readonly post: <Answer>(path: string, body: unknown) => Promise<Answer>;
}

/** @param apiUrl `http://HOST:PORT/api` */
export function openRest(apiUrl: string, token: string): Rest {
  const call = async <Answer>(path: string, init: RequestInit): Promise<Answer> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const response = await request(apiUrl + path, { ...init, headers });
    const body: unknown = await response.json().catch(() => null);
    if (!response.ok) throw new RefusedError(response.status, refusal(response, body));
    return body as Answer;
  };
  return {
    get: (path) => call(path, {}),
    post: (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) }),
  };
}

/** @throws {DemoError} if nothing answers at this URL, or not as Mayfly does. */
export async function expectService(url: string): Promise<void> {
  const response = await request(`${url}/readyz`, {});
  if (response.ok) return;
  throw new DemoError(
    response.status === 503
      ? `Mayfly at ${url} is not ready. Try again when it is.`
      : `${url} is not the address of Mayfly: /readyz answers ${response.status}.`,
  );
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(DEADLINE_MS) });
  } catch {
    const { origin } = new URL(url);
    throw new DemoError(
      `Mayfly cannot be reached at ${origin}. Start it with ./scripts/up, or name its address with --url.`,
    );
  }
}

function refusal({ status, url }: Response, body: unknown): string {
  if (body !== null && typeof body === 'object' && 'error' in body) return String(body.error);
  return `${url} answers ${status}.`;
}

/** Resolves to whether the condition became true in time. */
export async function until(condition: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const end = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > end) return false;
    await delay(POLL_MS);
  }
  return true;
}
