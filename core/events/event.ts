/** A live event of a workspace. It contains only ids, so that Redis keeps no text of a mail. */
export interface LiveEvent {
  type:
    | 'message.received'
    | 'message.deleted'
    | 'mailbox.created'
    | 'mailbox.deleted'
    | 'mailbox.cleared'
    | 'webhook.paused';
  /** Name of the mailbox. */
  mailbox: string;
  mailboxId: string;
  messageId?: string;
  /**
   * The number of a new message. It is not sent, and events of an earlier version do not have it.
   */
  number?: number;
  webhookId?: string;
  /** Labels of the mailbox, which decide who receives the event. They are not sent. */
  labels?: Record<string, string>;
}

/** An event with its position among the events of its workspace. */
export interface PublishedEvent {
  /** Milliseconds and a sequence number, `1768479360123-0`; later ids are greater. */
  id: string;
  event: LiveEvent;
}

/** The mailbox of an event. */
interface EventMailbox {
  id: string;
  name: string;
  labels: Record<string, string> | null;
}

/** An event about a mailbox. Its labels decide which narrow tokens receive it. */
export function eventOf(
  type: LiveEvent['type'],
  { id, name, labels }: EventMailbox,
  rest: Pick<LiveEvent, 'messageId' | 'number' | 'webhookId'> = {},
): LiveEvent {
  return { type, mailbox: name, mailboxId: id, ...rest, ...(labels ? { labels } : {}) };
}

/** Whether id `a` is later than id `b`. */
export function isLater(a: string, b: string): boolean {
  const [msA = 0, seqA = 0] = a.split('-').map(Number);
  const [msB = 0, seqB = 0] = b.split('-').map(Number);
  return msA === msB ? seqA > seqB : msA > msB;
}

/** The event as clients receive it. */
export function sentEvent(event: LiveEvent): LiveEvent {
  const sent = { ...event };
  delete sent.labels;
  delete sent.number;
  return sent;
}
