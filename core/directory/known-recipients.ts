/** Recipients that the directory has confirmed, kept in the process. */
import type { TrackedCache } from './tracked-cache.ts';
import type { Lookup } from './recipients.ts';

export interface KnownRecipients {
  /** The mailbox id of an address, if it is known and the mailbox has not expired. */
  find: (address: string) => Promise<string | undefined>;
  /** Looks an address up in the directory and keeps a positive result. */
  learn: (address: string, lookup: () => Promise<Lookup>) => Promise<Lookup>;
}

/** @param now clock in milliseconds since 1970, for the expiry of mailboxes. */
export function openKnownRecipients(cache: TrackedCache, now: () => number): KnownRecipients {
  const mailboxes = cache.openEntries<{ mailboxId: string; expiresAt: number }>();
  return {
    async find(address) {
      const known = await mailboxes.find(address);
      return known && now() < known.expiresAt ? known.mailboxId : undefined;
    },
    learn: (address, lookup) =>
      mailboxes.learn(address, lookup, (result) => {
        if (result.outcome !== 'mailbox') return null;
        const { mailboxId, expiresAt = Infinity } = result;
        return { mailboxId, expiresAt };
      }),
  };
}
