/**
 * Name resolution through the system resolver, so that the hosts file and local names work as on
 * the machine; Node's c-ares resolver ignores these. A lookup occupies a thread until the system
 * gives up (UV_THREADPOOL_SIZE in the Procfile), so the number of concurrent lookups is limited:
 * names that resolved quickly the last time share one half, all other names the other half, with a
 * small limit per workspace. Concurrent calls for one name share a lookup.
 */
import { type LookupAddress, promises as dns } from 'node:dns';
import pLimit, { type LimitFunction } from 'p-limit';
import { boundedCache } from '../bounded-cache.ts';
import { withTimeout } from '../with-timeout.ts';

/** Together half of the thread pool, which file access and cryptography also use. */
const KNOWN_AT_ONCE = 8;
const OTHERS_AT_ONCE = 8;
const OTHERS_OF_WORKSPACE = 3;
const SLOW_MS = 1000;
const TIMEOUT_MS = 5000;
/** Waiting, lookup and connect share the time limit of a connection. */
const WAIT_MS = 2500;
const MAX_REMEMBERED = 10_000;

/** Resolves a host name on behalf of a workspace. @throws {LookupsBusy} */
export type Resolve = (hostname: string, workspaceId: string) => Promise<LookupAddress[]>;

/** The lookup did not start in time. This says nothing about the name. */
export class LookupsBusy extends Error {
  override name = 'LookupsBusy';
}

interface Lookup {
  /** Resolves when the lookup starts. */
  begun: Promise<void>;
  found: Promise<LookupAddress[]>;
}

export function openResolver(): Resolve {
  const lookups = new Map<string, Lookup>();
  const known = boundedCache<true>(MAX_REMEMBERED);
  const limitOfKnown = pLimit(KNOWN_AT_ONCE);
  const limitOfOthers = pLimit(OTHERS_AT_ONCE);
  const limitsOfWorkspaces = boundedCache<LimitFunction>(MAX_REMEMBERED);

  const limited = <Result>(
    hostname: string,
    workspaceId: string,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    if (known.has(hostname)) return limitOfKnown(work);
    const limit = limitsOfWorkspaces.get(workspaceId) ?? pLimit(OTHERS_OF_WORKSPACE);
    limitsOfWorkspaces.set(workspaceId, limit);
    return limit(() => limitOfOthers(work));
  };

  const lookUp = async (hostname: string): Promise<LookupAddress[]> => {
    const since = performance.now();
    known.delete(hostname);
    const found = await dns.lookup(hostname, { all: true });
    if (performance.now() - since <= SLOW_MS) known.set(hostname, true);
    return found;
  };

  const begin = (hostname: string, workspaceId: string): Lookup => {
    let start: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (start = resolve));
    const found = limited(hostname, workspaceId, () => {
      start();
      return lookUp(hostname);
    }).finally(() => lookups.delete(hostname));
    // All callers can have timed out by then.
    found.catch(() => undefined);
    const lookup = { begun, found };
    lookups.set(hostname, lookup);
    return lookup;
  };

  return async (hostname, workspaceId) => {
    const { begun, found } = lookups.get(hostname) ?? begin(hostname, workspaceId);
    await withTimeout(WAIT_MS, () => begun).catch(() => {
      throw new LookupsBusy(`the lookup of ${hostname} did not start within ${WAIT_MS} ms`);
    });
    // The lookup cannot be cancelled; only the caller stops waiting.
    return withTimeout(TIMEOUT_MS, () => found, `no response within ${TIMEOUT_MS} ms`);
  };
}
