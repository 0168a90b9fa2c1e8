/**
 * The system's resolver, so that names of the hosts file and of the local network mean to Mayfly what they
 * mean to its machine: c-ares, which Node has too, knows nothing of these. Its price is a thread for each
 * lookup until that ends (UV_THREADPOOL_SIZE in the Procfile), and a name whose servers are silent ends only
 * when the system gives up. So only so many go on at once, shared as calls are (delivery-shares.ts): names
 * that are slow, or not known to answer, have one half together, and a workspace half as many of these as
 * are free. Lookups of one name share one.
 */
import { type LookupAddress, promises as dns } from 'node:dns';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from './deadline.js';

/** Half of the threads, which files and cryptography need as well. */
const AT_ONCE = 16;
const SLOW_MS = 1000;
const TIMEOUT_MS = 5000;
/** How often one who waits looks for a place. */
const LOOK_MS = 50;
/** So many names that have answered are remembered. */
const MAX_KNOWN = 10_000;

/**
 * All addresses of a host name, looked up on behalf of a workspace. What passes until there is a place for the
 * lookup is done as `ours`: whoever has a time for theirs does not count it. @throws {LookupsBusy}
 */
export type Resolve = (
  hostname: string,
  workspaceId: string,
  ours?: (wait: () => Promise<void>) => Promise<void>,
) => Promise<LookupAddress[]>;

/** There was no place for the lookup in time, which says nothing of the name. */
export class LookupsBusy extends Error {
  override name = 'LookupsBusy';
}

interface Lookup {
  found: Promise<LookupAddress[]>;
  since: number;
  workspaceId: string;
  isKnown: boolean;
}

/** @param now a clock in milliseconds that never goes back. */
export function openResolver(now = () => performance.now()): Resolve {
  const underWay = new Map<string, Lookup>();
  const known = new Set<string>();

  const isFree = (workspaceId: string, isKnown: boolean): boolean => {
    const at = now();
    const held = { alike: 0, workspace: 0 };
    for (const lookup of underWay.values()) {
      const isQuick = lookup.isKnown && at - lookup.since <= SLOW_MS;
      if (isQuick !== isKnown) continue;
      held.alike += 1;
      if (lookup.workspaceId === workspaceId) held.workspace += 1;
    }
    return isKnown
      ? held.workspace < 2 * (AT_ONCE - underWay.size)
      : 2 * held.workspace < AT_ONCE / 2 - held.alike;
  };

  const begin = (hostname: string, workspaceId: string): Lookup => {
    const since = now();
    const found = dns.lookup(hostname, { all: true }).finally(() => underWay.delete(hostname));
    found.then(
      () => {
        known.delete(hostname);
        if (now() - since > SLOW_MS) return;
        if (known.size >= MAX_KNOWN) known.clear();
        known.add(hostname);
      },
      () => known.delete(hostname),
    );
    const lookup = { found, since, workspaceId, isKnown: known.has(hostname) };
    underWay.set(hostname, lookup);
    return lookup;
  };

  return async (hostname, workspaceId, ours = (wait) => wait()) => {
    const asked = now();
    const hasPlace = () => underWay.has(hostname) || isFree(workspaceId, known.has(hostname));
    const place = async () => {
      while (!hasPlace()) {
        if (now() - asked >= TIMEOUT_MS) throw new LookupsBusy(`no place to look up ${hostname}`);
        await delay(LOOK_MS);
      }
    };
    // What came free may be taken again by the time that we hear of it.
    while (!hasPlace()) await ours(place);
    const { found, since } = underWay.get(hostname) ?? begin(hostname, workspaceId);
    const leftMs = Math.max(0, since + TIMEOUT_MS - now());
    // The lookup itself cannot be ended; whoever wants it gives up.
    return within(leftMs, () => found, `no answer within ${TIMEOUT_MS} ms`);
  };
}
