import { MayflyError } from '../errors.js';
import { pause } from './pause.js';
import type { ErrorBody } from '../types.js';
import { explained } from './unsupported.js';

const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 60_000;
/** The service answers a wait after 25 s at the latest. */
const RESPONSE_MS = 40_000;
/** A repeat of these with the same key does nothing twice. Paths end so. */
const TAKES_KEY = /\/api\/mailboxes(?:\/[^/]+\/messages(?:\/claim)?)?$/;

/**
 * A fetch that tries again, up to five times: after 429 and 503 (as `Retry-After` says), after a
 * broken connection, and while the first request with the same `Idempotency-Key` runs. A request
 * that changes something is repeated after a broken connection only if the service recognises the
 * repeat.
 * @param totalMs of all attempts, in milliseconds
 * @param responseMs of one attempt and its response
 * @throws {MayflyError} for every other response than 2xx, and without one in time.
 */
export function retryingFetch(
  fetchOnce: typeof fetch,
  totalMs: number,
  responseMs: number = RESPONSE_MS,
) {
  return async (request: Request): Promise<Response> => {
    const giveUpAt = Date.now() + totalMs;
    for (let attempt = 1; ; attempt += 1) {
      const limit = AbortSignal.timeout(Math.min(responseMs, Math.max(0, giveUpAt - Date.now())));
      const signal = AbortSignal.any([request.signal, limit]);
      const attempted = new Request(request.clone(), { signal });
      const outcome = await fetchOnce(attempted).catch((error: unknown) => {
        if (request.signal.aborted) throw error;
        return new MayflyError(
          0,
          { code: 'unavailable', error: `${request.url} cannot be reached: ${reasonOf(error)}` },
          { cause: error },
        );
      });
      if (outcome instanceof Response && outcome.ok) return outcome;
      const error = outcome instanceof Response ? await errorOf(outcome) : outcome;
      const ms = pauseMs(outcome, attempt);
      const isLast = attempt === ATTEMPTS || Date.now() + ms > giveUpAt;
      if (isLast || !isWorthAnother(request, error)) throw error;
      await pause(ms, request.signal);
    }
  };
}

function isWorthAnother(request: Request, { status, code }: MayflyError): boolean {
  if (status === 429 || status === 503 || code === 'request_running') return true;
  return (
    status === 0 && (request.method !== 'POST' || TAKES_KEY.test(new URL(request.url).pathname))
  );
}

/** @returns milliseconds before the next attempt. */
function pauseMs(outcome: Response | MayflyError, attempt: number): number {
  const asked = outcome instanceof Response ? Number(outcome.headers.get('retry-after')) * 1000 : 0;
  const backOff = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (1 + Math.random() / 4);
  return Math.min(asked > 0 ? asked : backOff, LONGEST_PAUSE_MS);
}

async function errorOf(response: Response): Promise<MayflyError> {
  const text = await response.text().catch(() => '');
  const body = parsed(text) ?? (text ? { error: text.slice(0, 200) } : {});
  return new MayflyError(response.status, explained(response, body));
}

function parsed(text: string): Partial<ErrorBody> | null {
  try {
    return JSON.parse(text) as Partial<ErrorBody>; // a proxy can answer with anything: each field is optional
  } catch {
    return null;
  }
}

/** Node hides the reason in the cause. */
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  if (cause instanceof Error) return cause.message || cause.name;
  return error instanceof Error ? error.message : String(error);
}
