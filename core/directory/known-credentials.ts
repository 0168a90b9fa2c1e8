/** SMTP credentials that the directory has confirmed, kept in the process. */
import type { TrackedCache } from './tracked-cache.ts';
import type { FoundCredential } from './credentials.ts';

type Found = FoundCredential | 'incomplete' | null;

export interface KnownCredentials {
  /** The credential of a user name, if it is known and its mailbox has not expired. */
  find: (username: string) => Promise<FoundCredential | undefined>;
  /** Looks a user name up in the directory and keeps a positive result. */
  learn: (username: string, lookup: () => Promise<Found>) => Promise<Found>;
}

/** @param now clock in milliseconds since 1970, for the expiry of mailboxes. */
export function openKnownCredentials(cache: TrackedCache, now: () => number): KnownCredentials {
  const credentials = cache.openEntries<FoundCredential>();
  return {
    async find(username) {
      const known = await credentials.find(username);
      return known && now() < (known.mailboxExpiresAt ?? Infinity) ? known : undefined;
    },
    learn: (username, lookup) =>
      credentials.learn(username, lookup, (found) => (found === 'incomplete' ? null : found)),
  };
}
