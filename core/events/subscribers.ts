/**
 * Subscribers grouped by workspace, so that an event costs nothing for subscribers of other
 * workspaces.
 */

interface OfWorkspace {
  readonly workspaceId: string;
}

export interface Subscribers<Subscriber extends OfWorkspace> {
  readonly add: (subscriber: Subscriber) => void;
  /** Does nothing if the subscriber is not registered. */
  readonly delete: (subscriber: Subscriber) => void;
  readonly has: (subscriber: Subscriber) => boolean;
  readonly of: (workspaceId: string) => ReadonlySet<Subscriber>;
  readonly all: () => Iterable<Subscriber>;
  readonly clear: () => void;
}

const NONE: ReadonlySet<never> = new Set();

export function newSubscribers<Subscriber extends OfWorkspace>(): Subscribers<Subscriber> {
  const byWorkspace = new Map<string, Set<Subscriber>>();
  const of = (workspaceId: string): ReadonlySet<Subscriber> => byWorkspace.get(workspaceId) ?? NONE;
  return {
    of,
    add(subscriber) {
      const others = byWorkspace.get(subscriber.workspaceId);
      if (others) others.add(subscriber);
      else byWorkspace.set(subscriber.workspaceId, new Set([subscriber]));
    },
    delete(subscriber) {
      const others = byWorkspace.get(subscriber.workspaceId);
      others?.delete(subscriber);
      if (others?.size === 0) byWorkspace.delete(subscriber.workspaceId);
    },
    has: (subscriber) => of(subscriber.workspaceId).has(subscriber),
    *all() {
      for (const subscribers of byWorkspace.values()) yield* subscribers;
    },
    clear: () => {
      byWorkspace.clear();
    },
  };
}
