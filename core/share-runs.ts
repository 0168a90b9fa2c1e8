/** Work that callers at the same time share: runs, loads by id, and loads that are kept. */

/**
 * Shares the runs of callers at the same time. Each call resolves to the result of a run that
 * begins after the call, so the run in progress does not count. There is one run at a time.
 * @param run gets no arguments: all callers want the same.
 * @param gather delays the begin of a run, which later calls share until then.
 */
export function shareRuns<Result>(
  run: () => Promise<Result>,
  gather: () => Promise<unknown> = () => Promise.resolve(),
): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | null = null;
  const begin = async () => {
    await gather();
    next = null;
    return run();
  };
  return () => {
    if (next) return next;
    const queued = running.then(begin, begin);
    running = queued;
    next = queued;
    return queued;
  };
}

/**
 * Shares the loading of items: those that another call is loading are not loaded again. Resolves to
 * the values by id; what `load` does not find is absent.
 */
export function shareLoads<Item extends { id: string }, Value>(
  load: (items: Item[]) => Promise<ReadonlyMap<string, Value>>,
): (items: Item[]) => Promise<Map<string, Value>> {
  const loading = new Map<string, Promise<ReadonlyMap<string, Value>>>();
  return async (items) => {
    const own = items.filter(({ id }) => !loading.has(id));
    if (own.length > 0) {
      const loaded = load(own).finally(() => {
        for (const { id } of own) loading.delete(id);
      });
      for (const { id } of own) loading.set(id, loaded);
    }
    const all = await Promise.all(new Set(items.flatMap(({ id }) => loading.get(id) ?? [])));
    return new Map(all.flatMap((each) => [...each]));
  };
}

export interface LoadedOnce<Value> {
  /** Loads with the first call, and again with the first call after a failure. */
  get: () => Promise<Value>;
  /** The value that is loaded or being loaded; null if there is none. */
  current: () => Promise<Value> | null;
}

/** Loads a value when it is first needed, and keeps it. */
export function loadOnce<Value>(load: () => Promise<Value>): LoadedOnce<Value> {
  let loading: Promise<Value> | null = null;
  return {
    get() {
      loading ??= load().catch((error: unknown) => {
        loading = null;
        throw error;
      });
      return loading;
    },
    current: () => loading,
  };
}
