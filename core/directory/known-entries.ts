/** Recipients and SMTP credentials that the directory has confirmed, kept in the process. */
import type { TrackedCache } from './tracked-cache.ts';
import type { RecipientLookup, ReceivingMailbox } from './recipients.ts';
import type { FoundCredential } from './credentials.ts';

export interface KnownEntries<Found, Entry> {
  /** The entry of an address or user name, if it is known and its mailbox has not expired. */
  find: (key: string) => Promise<Entry | undefined>;
  /** Looks the key up in the directory and keeps a positive result. */
  query: (key: string, lookup: () => Promise<Found>) => Promise<Found>;
}

export type KnownRecipients = KnownEntries<RecipientLookup, ReceivingMailbox>;
export type KnownCredentials = KnownEntries<FoundCredential | 'incomplete' | null, FoundCredential>;

/** @param now clock in milliseconds since 1970, for the expiry of mailboxes. */
export function openKnownRecipients(cache: TrackedCache, now: () => number): KnownRecipients {
  return openKnown(cache, now, (found) => {
    if (found.outcome !== 'mailbox') return null;
    const { mailboxId, workspaceId, expiresAt = Infinity } = found;
    return { entry: { mailboxId, workspaceId }, expiresAt };
  });
}

export function openKnownCredentials(cache: TrackedCache, now: () => number): KnownCredentials {
  return openKnown(cache, now, (found) =>
    found === null || found === 'incomplete'
      ? null
      : { entry: found, expiresAt: found.mailboxExpiresAt ?? Infinity },
  );
}

function openKnown<Found, Entry>(
  cache: TrackedCache,
  now: () => number,
  toKeep: (found: Found) => { entry: Entry; expiresAt: number } | null,
): KnownEntries<Found, Entry> {
  const known = cache.openEntries<{ entry: Entry; expiresAt: number }>();
  return {
    async find(key) {
      const kept = await known.find(key);
      return kept && now() < kept.expiresAt ? kept.entry : undefined;
    },
    query: (key, lookup) => known.query(key, lookup, toKeep),
  };
}
