/** The feeds of this process: one for each mailbox, and for all mailboxes of a token. */
import type { MailboxRow } from '../../db/statements/mailboxes.ts';
import type { Caller } from '../auth/caller.ts';
import { includes, scopeOf } from '../auth/reach.ts';
import type { Context } from '../context.ts';
import type { LiveEvent } from '../events/event.ts';
import type { Documents } from '../matching/documents.ts';
import { type Feed, openFeed } from '../matching/feed.ts';
import {
  type FoundMessage,
  type MessageSource,
  messagesOfCaller,
  messagesOfMailbox,
} from '../matching/message-source.ts';
import type { Slices } from '../matching/slices.ts';
import { placeOf } from '../messages/mark.ts';
import type { Arrivals } from './arrivals.ts';

export interface OpenFeed {
  feed: Feed<FoundMessage>;
  source: MessageSource;
  leave: () => void;
}

export interface Feeds {
  /**
   * The feed of the mailbox, or with null of all mailboxes of the caller. It follows arrivals while
   * somebody uses it.
   * @param after a number up to which the user reads what is there itself
   */
  open: (caller: Caller, mailbox: MailboxRow | null, after: number) => OpenFeed;
}

interface Entry extends Omit<OpenFeed, 'leave'> {
  users: number;
  unfollow: () => void;
}

export function openFeeds(
  context: Pick<Context, 'store' | 'now' | 'log'>,
  services: { arrivals: Arrivals; documents: Documents; slices: Slices },
): Feeds {
  const entries = new Map<string, Entry>();

  const open = (caller: Caller, mailbox: MailboxRow | null, after: number): Entry => {
    const source = mailbox
      ? messagesOfMailbox(context, mailbox)
      : messagesOfCaller(context, caller);
    const feed = openFeed(context, services, source);
    const follower = {
      place: mailbox ?? placeOf(caller.workspace),
      received(_messageId: string, event?: LiveEvent) {
        if (mailbox || !event || isReached(caller, event)) feed.stored(event?.number);
      },
      get claim() {
        if (!feed.seesClaims()) return undefined;
        return (_change: unknown, messageId: string) => {
          feed.changed([messageId]);
        };
      },
      missed: feed.missed,
    };
    return { feed, source, users: 0, unfollow: services.arrivals.subscribe(follower, after) };
  };

  return {
    open(caller, mailbox, after) {
      const key = mailbox?.id ?? caller.token.id;
      const entry = entries.get(key) ?? open(caller, mailbox, after);
      entries.set(key, entry);
      entry.users += 1;
      const { feed, source } = entry;
      return {
        feed,
        source,
        leave() {
          entry.users -= 1;
          if (entry.users > 0) return;
          entry.unfollow();
          if (entries.get(key) === entry) entries.delete(key);
        },
      };
    },
  };
}

/** Whether a narrow token reached the mailbox of the event at its time. */
function isReached({ token: { mailboxes } }: Caller, { mailbox: name, labels }: LiveEvent) {
  return mailboxes === null || includes(scopeOf(mailboxes), { name, labels });
}
