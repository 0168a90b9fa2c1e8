/** Mailboxes that the user cleared in this page and that the server has not cleared yet. */
import { signal } from '@preact/signals';

export interface PendingClear {
  /** `receivedAt` of the newest message that is cleared. */
  until: string;
  /** The number of messages that are cleared. */
  count: number;
}

/** By mailbox name. */
export const pendingClears = signal<ReadonlyMap<string, PendingClear>>(new Map());

export function isClearing(mailbox: string): boolean {
  return pendingClears.value.has(mailbox);
}

/** Whether a message of the mailbox is hidden because it is cleared. */
export function isCleared(mailbox: string, receivedAt: string): boolean {
  const pending = pendingClears.value.get(mailbox);
  return pending !== undefined && receivedAt <= pending.until;
}

export function setClear(mailbox: string, pending: PendingClear | null): void {
  const next = new Map(pendingClears.peek());
  if (pending) next.set(mailbox, pending);
  else next.delete(mailbox);
  pendingClears.value = next;
}
