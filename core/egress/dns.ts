/**
 * The system's resolver, so that names of the hosts file and of the local network mean to Mayfly what they mean to its
 * machine: c-ares, which Node has too, does not read these. A look-up holds a thread until the system gives up
 * (UV_THREADPOOL_SIZE in the Procfile), so the number of look-ups at once is limited: names that answered quickly the
 * last time have half of them, all others the other half and a few for each workspace. Callers of one name share a
 * look-up.
 */
import { type LookupAddress, promises as dns } from 'node:dns';
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import { within } from '../time-limit.js';

/** Together half of the threads, which files and cryptography need as well. */
const KNOWN_AT_ONCE = 8;
const OTHERS_AT_ONCE = 8;
const OTHERS_OF_WORKSPACE = 3;
const SLOW_MS = 1000;
const TIMEOUT_MS = 5000;
/** Waiting, the look-up and connecting share the time that a connection may take. */
const WAIT_MS = 2500;
const MAX_REMEMBERED = 10_000;

/** All addresses of a host name, looked up for a workspace. @throws {LookupsBusy} */
export type Resolve = (hostname: string, workspaceId: string) => Promise<LookupAddress[]>;

/** The look-up did not begin in time, which says nothing about the name. */
export class LookupsBusy extends Error {
  override name = 'LookupsBusy';
}

interface Lookup {
  /** Resolves when the look-up has a place. */
  begun: Promise<void>;
  found: Promise<LookupAddress[]>;
}

export function openResolver(): Resolve {
  const lookups = new Map<string, Lookup>();
  const known = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  const limitOfKnown = pLimit(KNOWN_AT_ONCE);
  const limitOfOthers = pLimit(OTHERS_AT_ONCE);
  const limitsOfWorkspaces = new LRUCache<string, LimitFunction>({ max: MAX_REMEMBERED });

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
    // Every caller may have given up by then.
    found.catch(() => undefined);
    const lookup = { begun, found };
    lookups.set(hostname, lookup);
    return lookup;
  };

  return async (hostname, workspaceId) => {
    const { begun, found } = lookups.get(hostname) ?? begin(hostname, workspaceId);
    await within(WAIT_MS, () => begun).catch(() => {
      throw new LookupsBusy(`the look-up of ${hostname} did not begin within ${WAIT_MS} ms`);
    });
    // The look-up itself cannot be ended; the caller gives up.
    return within(TIMEOUT_MS, () => found, `no answer within ${TIMEOUT_MS} ms`);
  };
}
