import type { LiveEvent } from '../events/event.ts';
import type { Labels } from './labels.ts';

/** The mailbox of an event. */
export interface EventMailbox {
  id: string;
  name: string;
  labels: Labels | null;
}

/** An event about a mailbox. Its labels decide which narrow tokens receive it. */
export function eventOf(
  type: LiveEvent['type'],
  { id, name, labels }: EventMailbox,
  rest: Pick<LiveEvent, 'messageId' | 'webhookId'> = {},
): LiveEvent {
  return { type, mailbox: name, mailboxId: id, ...rest, ...(labels ? { labels } : {}) };
}
