/**
 * Messages that are hidden because the user deleted them, or cleared their mailbox, in this page.
 */
import { signal } from '@preact/signals';

/**
 * Ids of deleted messages, including those that the server has not deleted yet; their events are
 * ignored.
 */
export const pendingDeletes = signal<ReadonlySet<string>>(new Set());

/** The mailbox of each message that the server has not deleted yet, by message id. */
const waiting = new Map<string, string>();

export function hide(id: string, mailbox: string): void {
  waiting.set(id, mailbox);
  pendingDeletes.value = new Set([...pendingDeletes.value, id]);
}

export function unhide(id: string): void {
  waiting.delete(id);
  pendingDeletes.value = new Set([...pendingDeletes.value].filter((one) => one !== id));
}

/** The server has deleted the message and no longer counts it. */
export function deletedForGood(id: string): void {
  waiting.delete(id);
}

interface PendingClear {
  /** `receivedAt` of the newest message that is cleared. */
  until: string;
  /** The number of messages that are cleared. */
  count: number;
}

/** Mailboxes that the server has not cleared yet, by name. */
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

/** The server's message count minus the hidden messages that it still includes. */
export function shownCount(mailbox: string, total: number): number {
  const hiddenHere = [...waiting.values()].filter((name) => name === mailbox).length;
  const cleared = pendingClears.value.get(mailbox)?.count ?? 0;
  return Math.max(0, total - hiddenHere - cleared);
}
