/** Recipients and SMTP credentials that the directory has confirmed, kept in the process. */
import type { TrackedCache } from './tracked-cache.ts';
import type { Lookup, Receiver } from './recipients.ts';
import type { FoundCredential } from './credentials.ts';

export interface KnownRecipients {
  /** The mailbox of an address, if it is known and has not expired. */
  find: (address: string) => Promise<Receiver | undefined>;
  /** Looks an address up in the directory and keeps a positive result. */
  learn: (address: string, lookup: () => Promise<Lookup>) => Promise<Lookup>;
}

/** @param now clock in milliseconds since 1970, for the expiry of mailboxes. */
export function openKnownRecipients(cache: TrackedCache, now: () => number): KnownRecipients {
  const mailboxes = cache.openEntries<Receiver & { expiresAt: number }>();
  return {
    async find(address) {
      const known = await mailboxes.find(address);
      return known && now() < known.expiresAt ? known : undefined;
    },
    learn: (address, lookup) =>
      mailboxes.learn(address, lookup, (result) => {
        if (result.outcome !== 'mailbox') return null;
        const { mailboxId, workspaceId, expiresAt = Infinity } = result;
        return { mailboxId, workspaceId, expiresAt };
      }),
  };
}

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
