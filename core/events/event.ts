/** What happens in a workspace, told as it happens. Ids only: what they name is fetched by whoever cares. */
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
  webhookId?: string;
}

/** An event with its place among those of its workspace. */
export interface PlacedEvent {
  /** Milliseconds and a number within them, `1768479360123-0`; later ones are greater. */
  id: string;
  event: LiveEvent;
}

/** Whether the first of two ids is the later one. */
export function isLater(a: string, b: string): boolean {
  const [msA = 0, seqA = 0] = a.split('-').map(Number);
  const [msB = 0, seqB = 0] = b.split('-').map(Number);
  return msA === msB ? seqA > seqB : msA > msB;
}
