/** The jobs that end mailboxes and limit their messages, and the events that they report. */
import type { Context } from '../../../core/context.ts';
import type { LiveEvent } from '../../../core/events/event.ts';
import { expireMailboxes, limitMailboxes } from '../../../jobs/scheduled.ts';
import { purgeMailbox } from '../../../jobs/removal.ts';

const RUN = { jobId: '', start: 1, stalls: 0 };

export interface ExpiryJobs {
  /** Ends expired mailboxes. */
  expire: () => Promise<LiveEvent[]>;
  /** Removes messages above the limits of their mailboxes. */
  limit: () => Promise<LiveEvent[]>;
  purge: (mailboxId: string) => Promise<unknown>;
}

export function openExpiryJobs(context: Context): ExpiryJobs {
  const reported = async (run: (context: Context) => Promise<unknown>) => {
    const events: LiveEvent[] = [];
    const { publisher, hub } = context.events;
    const publish = (workspaceId: string, event: LiveEvent) => {
      events.push(event);
      publisher.publish(workspaceId, event);
    };
    await run({ ...context, events: { hub, publisher: { ...publisher, publish } } });
    return events;
  };
  return {
    expire: () => reported((watched) => expireMailboxes.run(watched, {}, RUN)),
    limit: () => reported((watched) => limitMailboxes.run(watched, {}, RUN)),
    purge: (mailboxId) => purgeMailbox.run(context, { mailboxId }, RUN),
  };
}
