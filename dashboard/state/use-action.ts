import { useCallback, useRef, useState } from 'preact/hooks';
import { type ApiError, toApiError } from '../rest/api-error.ts';

/** A user action: runs once at a time and exposes its error. */
export function useAction<Args extends unknown[]>(
  act: (...args: Args) => Promise<unknown>,
): { run: (...args: Args) => Promise<void>; isBusy: boolean; error: ApiError | null } {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const latest = useRef(act);
  latest.current = act;
  const running = useRef(false);

  const run = useCallback(async (...args: Args) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      await latest.current(...args);
    } catch (thrown) {
      setError(toApiError(thrown));
    } finally {
      running.current = false;
      setBusy(false);
    }
  }, []);
  return { run, isBusy, error };
}
