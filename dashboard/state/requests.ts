/** Hooks for requests: loading what a view shows, and actions of the user. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, toApiError } from '../rest/api-error.ts';

export interface Loaded<Value> {
  /** Null until loaded, and again after `key` changes. */
  value: Value | null;
  error: ApiError | null;
  /** Loads again. The current value stays until the new one arrives. */
  reload: () => void;
  /** Replaces the value. */
  set: (value: Value) => void;
}

/** Loads on mount and when `key` changes. Results of an outdated load are dropped. */
export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value: Value | null; error: ApiError | null }>({
    key,
    value: null,
    error: null,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const aborter = new AbortController();
    latest.current(aborter.signal).then(
      (value) => {
        if (!aborter.signal.aborted) setState({ key, value, error: null });
      },
      (error: unknown) => {
        if (aborter.signal.aborted) return;
        setState((before) => ({
          key,
          value: before.key === key ? before.value : null,
          error: toApiError(error),
        }));
      },
    );
    return () => {
      aborter.abort();
    };
  }, [key, turn]);

  const reload = useCallback(() => {
    setTurn((before) => before + 1);
  }, []);
  const set = useCallback(
    (value: Value) => {
      setState({ key, value, error: null });
    },
    [key],
  );
  const current = state.key === key;
  return { value: current ? state.value : null, error: current ? state.error : null, reload, set };
}

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

const WINDOW_MS = 300;
const PAUSE_MS = 180;

let last = -Infinity;

/**
 * Delays a call that follows another within 300 ms, so that a held key loads only the last message.
 */
export async function debounce(signal: AbortSignal): Promise<void> {
  const isRepeated = performance.now() - last < WINDOW_MS;
  last = performance.now();
  if (isRepeated) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  signal.throwIfAborted();
}
